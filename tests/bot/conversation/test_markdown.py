"""Markdown in messages: styles, listings, formulas as text where it means the same, long texts in parts."""

from __future__ import annotations

import html
import re
import unicodedata

import pytest
from _markdown import TEXT
from hypothesis import given
from hypothesis import strategies as st

from annotation.campaigns.questions.question_base import count_units
from annotation.campaigns.stimulus import Piece
from annotation.workflow.assignments import SecondPass
from bot.conversation.formula_text import format_formula
from bot.conversation.markdown_page import list_page_nodes
from bot.conversation.message_layout import MAX_UNITS, TextBlock, render_html_parts
from bot.conversation.texts import get_texts
from bot.conversation.views import items, second_pass

SHOWN = r"""<b>Task</b>

For x₁ ≤ 5 and <b>find</b> <code>$\frac{a}{b}$</code>, [rules](https://a.b/c_d_e) and &lt;b onclick="x"&gt;it&lt;/b&gt;.

<pre>name | long word | a third column of the table  |  n
-----+-----------+------------------------------+---
one  |   f(x)    | antidisestablishmentarianism |  1
two  |    x²     | α ∈ ℝ                        | 22</pre>

<pre>def solve(first_argument, second_argument, third_argument):
    return "&lt;script&gt;alert(1)&lt;/script&gt;"</pre>

<pre>$$
x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a} + \begin{pmatrix} 1 &amp; 2 \\ 3 &amp; 4 \end{pmatrix} + \sum_{i=1}^{n} i
$$</pre>

3. third: <code>$x_{n+1}$</code> and <code>$\foo{y}$</code>
   • inner"""


def show(text: str, *, fold: bool = False) -> str:
    """A text as one message."""
    (shown,) = render_html_parts([TextBlock(text, markdown=True, fold=fold)], heading="{number}/{of}")
    return shown


def test_markdown_in_a_message() -> None:
    """A table has columns of fixed width; raw HTML and links are text, a fraction its source."""
    assert show(TEXT) == SHOWN


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("> a\n> b\n>\n> - c", "&gt; a\n&gt; b\n&gt; • c"),
        ("- a\n\n  more\n- ```\n    x\n  ```\n- c", "• a\n  more\n•\n\n<pre>  x</pre>\n\n• c"),
        ("**a *b* c** ~~d~~", "<b>a </b><i>b</i><b> c</b> <s>d</s>"),
        ("a\n\n---\n\nb", "a\n\n———\n\nb"),
        ("$$E = mc^2$$", "E = mc²"),
        ("|日本|\n|-|\n|e\u0301|", "<pre>日本\n----\ne\u0301</pre>"),
        ("- \n- b", "•\n• b"),
        ("   ", ""),
    ],
)
def test_parts_of_a_text(text: str, shown: str) -> None:
    """Quotes, lists with what is in them, styles in each other, characters of two columns."""
    assert show(text) == shown


def test_a_fold_leaves_listings_open() -> None:
    """Telegram's quotes can hold no code."""
    assert show("a\n\nb\n\n```\nc\n```", fold=True) == "<blockquote expandable>a\n\nb</blockquote>\n<pre>c</pre>"


def test_a_long_text_keeps_every_line() -> None:
    """With the blanks of its code; no message is too long, and each has whole tags."""
    code = "\n".join(f"{' ' * (number % 9)}line {number} <&>" for number in range(900))
    words = " ".join(f"**word{number}** $x_{{n{number}}}$" for number in range(900))
    parts = render_html_parts([TextBlock(f"```\n{code}\n```\n\n{words}", markdown=True)], heading="{number}/{of}")
    assert len(parts) > 5
    plain = [html.unescape(re.sub("<[^>]*>", "", part)).partition("\n\n")[2] for part in parts]
    assert all(count_units(part) <= MAX_UNITS for part in plain)
    listings = [html.unescape(listing) for part in parts for listing in re.findall("<pre>(.*?)</pre>", part, re.DOTALL)]
    assert "\n".join(listings) == code
    rest = " ".join(re.sub("<[^>]*>", "", re.sub("<pre>.*?</pre>", "", part, flags=re.DOTALL)) for part in parts)
    assert re.findall(r"word\d+|\$x_\{n\d+\}\$", rest) == re.findall(r"word\d+|\$x_\{n\d+\}\$", words)
    for part in parts:
        assert all(part.count(f"<{tag}>") == part.count(f"</{tag}>") for tag in ("pre", "b", "code"))


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"x_1 \le 5", "x₁ ≤ 5"), (r"A\in\mathbb{R}", "A∈ℝ"), ("x_i^2", "xᵢ²"), (r"90^\circ", "90°"),
        ("f'(x)", "f′(x)"), (r"\sin^2x+\cos^{2} x=1", "sin² x+cos² x=1"), (r"2\sin x", "2 sin x"),
        (r"\left(a-b\right)^2", "(a−b)²"), (r"\{a,\,b\}", "{a, b}"), ("3{,}14", "3,14"),
        (r"\alpha\times\beta", "α×β"), (r"100\%", "100%"), ("x^23", "x²3"), ("x_{n+1}", None), ("x^{10}", None),
        (r"\frac{a}{b}", None), (r"\sqrt{x}", None), (r"\sqrt x", None), ("{a+b}^2", None), (r"\text{if }x", None),
        ("x^2^3", None), (r"\begin{matrix}1\end{matrix}", None), ("x^q", None), ("^2", None), (r"\foo", None),
        ("a & b", None), ("x^", None), ("{x", None), ("x}", None), ("х", None), ("x^*", None), ("", None),
        (r"\left.x\right|", None), (r"a\\b", None), ("%", None), (r"\hat{x}", None), (r"\mathbb{K}", None),
    ],
)  # fmt: skip
def test_formulas_as_text(latex: str, text: str | None) -> None:
    """Where the text means the same; else nothing, and the source is shown."""
    assert format_formula(latex) == text


SIGNS = {
    "a": "a", "Z": "Z", "7": "7", "+": "+", "-": "−", "=": "=", "(": "(", ")": ")", r"\alpha": "α", r"\Omega": "Ω",
    r"\le": "≤", r"\in": "∈", r"\times": "×", r"\cdot": "·", r"\infty": "∞", r"\mathbb{N}": "ℕ", r"\{": "{",
}  # fmt: skip
SCRIPTS = {"^": {"2": "²", "n": "ⁿ", "T": "ᵀ"}, "_": {"1": "₁", "i": "ᵢ", "n": "ₙ"}}
CHARACTERS = {sign: latex for latex, sign in SIGNS.items()} | {
    sign: f"{kind}{latex}" for kind, signs in SCRIPTS.items() for latex, sign in signs.items()
}
SCRIPTED = [f"{kind}{latex}" for kind, signs in SCRIPTS.items() for latex in signs]
WITHOUT_TEXT = ["x_{n+1}", r"\frac{a}{b}", r"\sqrt{2}", "a^{23}", r"{a+b}^2", r"\overline{a}"]
PARTS = st.one_of(
    st.sampled_from(sorted(SIGNS)).map(lambda one: [one]),
    st.sampled_from(SCRIPTED).map(lambda one: ["a", one]),
    st.sampled_from(WITHOUT_TEXT).map(lambda one: ["", one]),
)


@given(st.lists(PARTS, min_size=1, max_size=8), st.booleans())
def test_the_text_of_a_formula_can_be_read_back(parts: list[list[str]], has_braces: bool) -> None:
    """Into the same signs; one with a fraction or a script of several characters has no text."""
    signs = [sign for part in parts for sign in part]
    braced = [f"{sign[0]}{{{sign[1:]}}}" if has_braces and sign[:1] in SCRIPTS else sign for sign in signs]
    text = format_formula(" ".join(braced))
    if "" in signs:
        assert text is None
    elif text is not None:
        assert [CHARACTERS[character] for character in text if character != " "] == signs


def test_every_sign_is_one_of_its_own() -> None:
    """Scripts and symbols are in no other place of the tables, and stay as they are in NFC."""
    for latex, sign in SIGNS.items():
        assert format_formula(latex) == sign == unicodedata.normalize("NFC", sign)


def test_the_page_gets_no_html() -> None:
    """But texts and names of elements; a formula that cannot be drawn is code, words behind a fence are left out."""
    assert list_page_nodes("<b>x</b> **y**\n\n```js\n<i>\n```\n\n$x$ $\\foo$") == [
        ["p", {}, "<b>x</b> ", ["strong", {}, "y"]],
        ["pre", {}, "<i>"],
        ["p", {}, ["math", {"display": "inline"}, ["mrow", {}, ["mi", {}, "x"]]], " ", ["code", {}, "$\\foo$"]],
    ]  # fmt: skip


def test_a_part_of_the_second_step_is_markdown_too() -> None:
    """As is what is shown from the first step on."""
    piece = Piece("why", "**a** $x^2$", markdown=True).to_dict()
    second = SecondPass(compared=(), explanation=None)
    later = second_pass.build_second_pass_blocks(second, [{**piece, "step": 2}], get_texts("en"))
    first = items.build_stimulus_blocks("", [{**piece, "step": 1}], "en")
    for blocks in (later, first):
        assert render_html_parts(blocks, heading="") == ("<b>a</b> x²",)
