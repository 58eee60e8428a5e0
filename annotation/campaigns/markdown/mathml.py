"""LaTeX as MathML, rebuilt from what is allowed; None for a formula that has to be shown as its source.

latex2mathml escapes nothing, keeps what it does not know as text, and writes attributes that no browser reads. Of its
tree only known elements with known values are taken over, and a formula that would lose a letter or a digit is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from annotation.campaigns.markdown.document import CACHED_TEXTS, Element

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element as XmlElement

LONGEST, DEEPEST = 2000, 40
"""The most characters of a formula, and how deep its braces and elements may be."""
_LEAVES = frozenset({"mi", "mn", "mo", "mtext"})
_PARTS = {"mfrac": 2, "mroot": 2, "msup": 2, "msub": 2, "mover": 2, "munder": 2, "msubsup": 3, "munderover": 3}
_TAGS = {*_LEAVES, *_PARTS, "math", "mrow", "mspace", "msqrt", "mtable", "mtr", "mtd", "mstyle"}
_TRUTH, _LENGTH = r"true|false", r"-?0?\.\d+em|\d?(?:\.\d+)?em|(?:negative)?[a-z]*mathspace"
_VALUES = {
    name: re.compile(values)
    for names, values in (
        ("stretchy fence separator accent accentunder largeop movablelimits displaystyle", _TRUTH),
        ("lspace rspace width minsize maxsize linethickness", rf"0|{_LENGTH}"),
        ("display", "block|inline"), ("form", "prefix|infix|postfix"), ("scriptlevel", r"[+-]?\d"),
        ("columnalign", "left|center|right"),
    )
    for name in names.split()
}  # fmt: skip
"""The attributes that are taken over, each with its possible values; a formula with others is refused."""
_DROPPED = {"xmlns", "rowspacing", "columnspacing", "mathvariant"}
"""Attributes without which a formula means the same; letters of another `mathvariant` are characters of their own."""
_VARIANTS = {
    "bold": "BOLD", "italic": "ITALIC", "bold-italic": "BOLD ITALIC", "double-struck": "DOUBLE-STRUCK",
    "script": "SCRIPT", "fraktur": "FRAKTUR", "monospace": "MONOSPACE", "sans-serif": "SANS-SERIF",
    "sans-serif-italic": "SANS-SERIF ITALIC",
}  # fmt: skip
_OTHER_NAMES = {"ITALIC SMALL H": "PLANCK CONSTANT", "FRAKTUR CAPITAL": "BLACK-LETTER CAPITAL"}
"""Letters that Unicode had before it had the others of their alphabet."""
_CHARACTER = re.compile(r"&#x([0-9A-Fa-f]{1,6});")
_MACROS = re.compile(r"\\(?:[gex]?def|let|(?:re)?new(?:command|environment)|DeclareMathOperator)(?![a-zA-Z])")
_ALIGNED = re.compile(r"\\(begin|end)\{(?:aligned|align|gathered|gather\*?|eqnarray\*?|split)\}")
"""Environments that the library does not know, or numbers: all are as `align*` is."""
_NOT_SHOWN = re.compile(r"\\(?:begin|end)\{[a-zA-Z]+\*?\}(?:\{[lcr| ]*\})?|\\[a-zA-Z]+")


@lru_cache(maxsize=CACHED_TEXTS)
def build_mathml(latex: str, *, is_block: bool) -> Element | None:
    """Build the MathML of a formula; None where it has to be shown as its source."""
    if len(latex) > LONGEST or _measure_braces(latex) > DEEPEST or _MACROS.search(latex):
        return None
    from latex2mathml.converter import Converter

    written = _ALIGNED.sub(r"\\\1{align*}", latex)
    try:
        root = Converter(display="block" if is_block else "inline").convert_to_element(written)
        built = _rebuild(root, DEEPEST)
    except Exception:  # noqa: BLE001  # the library's errors have no base of their own: IndexError, ValueError, …
        return None
    shown = "" if built is None else "".join(_list_texts(built))
    return built if shown.strip() and _count_signs(_NOT_SHOWN.sub(" ", latex)) <= _count_signs(shown) else None


def _measure_braces(latex: str) -> int:
    """How deep braces and `\\left` are in each other, at most."""
    deepest = level = 0
    for sign in re.findall(r"\\left(?![a-z])|\\right(?![a-z])|\\.|[{}]", latex):
        level += {"{": 1, r"\left": 1, "}": -1, r"\right": -1}.get(sign, 0)
        deepest = max(deepest, level)
    return deepest


def _rebuild(element: XmlElement, depth: int) -> Element | None:
    """The element with what is allowed of it; None where something else belongs to what it means."""
    tag, text = element.tag, element.text or ""
    if tag == "mi" and len(text) == 1 and unicodedata.category(text) == "Sm":  # − and ×, typed as such
        tag = "mo"
    is_leaf = tag in _LEAVES
    if tag == "menclose" and element.attrib == {"notation": "box"}:  # browsers do not draw it: page.css does
        tag, attributes = "mrow", {"class": "box"}
    else:
        attributes = {name: value for name, value in element.attrib.items() if name not in _DROPPED}
        if any(name not in _VALUES or not _VALUES[name].fullmatch(value) for name, value in attributes.items()):
            return None
    if tag not in _TAGS or depth == 0 or len(element) != _PARTS.get(tag, len(element)) or (is_leaf and len(element)):
        return None
    if text.strip() and not is_leaf:
        return None
    children = [_rebuild(child, depth - 1) for child in element]
    if is_leaf:
        shown = _read_text(text, element.get("mathvariant", ""), tag)
        attributes |= {"mathvariant": "normal"} if tag == "mi" and element.get("mathvariant") == "normal" else {}
        return None if shown is None else Element(tag, (shown,), attributes)
    built = tuple(child for child in children if child is not None)
    return Element(tag, built, attributes) if len(built) == len(children) else None


def _read_text(text: str, variant: str, tag: str) -> str | None:
    """The text of a leaf, its letters in their alphabet; None where it has what LaTeX would not show."""
    if "\\" in text or (text == "&" and tag != "mtext"):
        return None
    shown = _CHARACTER.sub(lambda found: chr(int(found[1], 16)), text)
    if tag == "mtext" or variant not in _VARIANTS:
        return shown
    letters = [_find_letter(letter, _VARIANTS[variant]) for letter in shown]
    return None if None in letters else "".join(letter or "" for letter in letters)


def _find_letter(letter: str, variant: str) -> str | None:
    """A letter or digit in another alphabet, and any other character as it is; None if that alphabet lacks it."""
    if not letter.isalnum():
        return letter
    name = re.sub(r"(?:LATIN|GREEK) (CAPITAL|SMALL) LETTER", r"\1", unicodedata.name(letter, ""))
    full = f"{variant} {name}"
    for known, other in _OTHER_NAMES.items():
        full = full.replace(known, other)
    for one in (f"MATHEMATICAL {variant} {name}", full):
        try:
            return unicodedata.lookup(one)
        except KeyError:
            continue
    return None


def _count_signs(text: str) -> Counter[str]:
    """The letters and digits of a text, whatever their alphabet."""
    return Counter(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


def _list_texts(element: Element) -> Iterator[str]:
    for child in element.children:
        if isinstance(child, Element):
            yield from _list_texts(child)
        elif isinstance(child, str):
            yield child
