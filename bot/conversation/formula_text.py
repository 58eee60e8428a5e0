r"""Formulas as Unicode text, for messages: only where the text can be read in one way, and means the same.

Fractions, roots and matrices have no such text, nor have scripts of several characters: `x_{n+1}` is not «x_n+1».
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\s+|.", re.DOTALL)
_NAMES = (
    "alpha α, beta β, gamma γ, delta δ, epsilon ϵ, varepsilon ε, zeta ζ, eta η, theta θ, vartheta ϑ, iota ι, kappa κ, "
    "lambda λ, mu μ, nu ν, xi ξ, pi π, rho ρ, sigma σ, varsigma ς, tau τ, upsilon υ, phi ϕ, varphi φ, chi χ, psi ψ, "
    "omega ω, Gamma Γ, Delta Δ, Theta Θ, Lambda Λ, Xi Ξ, Pi Π, Sigma Σ, Upsilon Υ, Phi Φ, Psi Ψ, Omega Ω, ell ℓ, "
    "infty ∞, partial ∂, nabla ∇, emptyset ∅, degree °, angle ∠, sum ∑, prod ∏, int ∫, forall ∀, exists ∃, pm ±, mp "
    "∓, times ×, div ÷, cdot ·, ast ∗, circ ∘, le ≤, leq ≤, leqslant ⩽, ge ≥, geq ≥, geqslant ⩾, lt <, gt >, ne ≠, "
    "neq ≠, approx ≈, equiv ≡, cong ≅, sim ∼, propto ∝, ll ≪, gg ≫, in ∈, notin ∉, ni ∋, subset ⊂, subseteq ⊆, supset "
    "⊃, supseteq ⊇, cup ∪, cap ∩, setminus ∖, land ∧, wedge ∧, lor ∨, vee ∨, neg ¬, lnot ¬, to →, rightarrow →, "
    "leftarrow ←, leftrightarrow ↔, mapsto ↦, Rightarrow ⇒, implies ⟹, Leftarrow ⇐, Leftrightarrow ⇔, iff ⟺, perp ⊥, "
    "parallel ∥, mid ∣, ldots …, dots …, cdots ⋯, { {, } }, % %, $ $, # #, & &, _ _"
)
"""Commands without their backslash, each with the sign that it is."""
_SYMBOLS = {rf"\{name}": sign for name, sign in (pair.split(" ") for pair in _NAMES.split(", "))}
_SPACES = frozenset((r"\,", r"\:", r"\;", r"\ ", r"\quad", r"\qquad", "~"))
_WORDS = "sin cos tan cot sec csc tg ctg arcsin arccos arctan arctg sinh cosh tanh ln lg log exp max min gcd det dim"
_FUNCTIONS = frozenset(_WORDS.split())
_SETS = {"N": "ℕ", "Z": "ℤ", "Q": "ℚ", "R": "ℝ", "C": "ℂ"}
_PLAIN = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+*/=<>()[]|,.;:!?")
_RAISED = dict(
    zip(
        "0123456789abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW",
        "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ",
        strict=True,
    )
) | {"∘": "°"}
_LOWERED = dict(zip("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_SCRIPTS = {"^": _RAISED, "_": _LOWERED}


class _Atom(NamedTuple):
    """One sign of a formula, or the name of a function; `end` is the position of the next token."""

    text: str
    end: int
    is_function: bool = False


def format_formula(latex: str) -> str | None:
    """Write a formula as text; None where only its source is sure to mean the same."""
    tokens = _TOKEN.findall(latex.strip())
    text, at = "", 0
    scripts: set[str] | None = None  # the kinds of scripts that the last sign has; None where it can have none
    after_function = False
    while at < len(tokens):
        token = tokens[at]
        if token.isspace() or token in _SPACES:
            text, at = text if text.endswith(" ") else f"{text} ", at + 1
        elif token in _SCRIPTS:
            atom = _read_atom(tokens, at + 1)
            script = None if atom is None or atom.is_function else _SCRIPTS[token].get(atom.text)
            if atom is None or script is None or scripts is None or token in scripts:
                return None
            text, at = text.rstrip() + script, atom.end
            scripts.add(token)
        else:
            atom = _read_atom(tokens, at)
            if atom is None:
                return None
            is_word = atom.text[0].isalnum()
            has_blank = is_word and text[-1:].strip() and (after_function or (atom.is_function and text[-1].isalnum()))
            text, at = f"{text} {atom.text}" if has_blank else text + atom.text, atom.end
            scripts = set() if is_word or atom.text in ")]}|!′∑∏∫∂∇∞ℓ°" else None
            after_function = atom.is_function
    return text.strip() or None


def _read_atom(tokens: list[str], at: int) -> _Atom | None:
    """The sign that begins here, in braces or not; None where there is none, or none of its own."""
    token = tokens[at] if at < len(tokens) else ""
    if token == "{":  # noqa: S105
        atom = _read_atom(tokens, at + 1)
        is_closed = atom is not None and tokens[atom.end : atom.end + 1] == ["}"]
        return atom._replace(end=atom.end + 1) if atom is not None and is_closed else None
    if token in {r"\left", r"\right"}:
        return _read_bracket(tokens, at + 1)
    if token == r"\mathbb":  # noqa: S105
        atom = _read_atom(tokens, at + 1)
        return None if atom is None or atom.text not in _SETS else atom._replace(text=_SETS[atom.text])
    if token[1:] in _FUNCTIONS and token.startswith("\\"):
        return _Atom(token[1:], at + 1, is_function=True)
    sign = token if token in _PLAIN else {"-": "−", "'": "′"}.get(token) or _SYMBOLS.get(token)
    return None if sign is None else _Atom(sign, at + 1)


def _read_bracket(tokens: list[str], at: int) -> _Atom | None:
    r"""A bracket after `\left` or `\right`: in a formula of one line its size means nothing."""
    token = tokens[at] if at < len(tokens) else ""
    return _Atom(token[-1], at + 1) if token in {"(", ")", "[", "]", "|", r"\{", r"\}"} else None
