"""Markdown in items: what is read of it, which formulas are drawn, and that nothing of a text is lost."""

from __future__ import annotations

import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from _markdown import PROJECT, write_project
from hypothesis import example, given
from hypothesis import strategies as st

from annotation.campaigns import project_file, stimulus
from annotation.campaigns.markdown import mathml
from annotation.campaigns.markdown.document import Element, Formula, Node, list_formulas, parse_markdown
from annotation.campaigns.markdown.mathml import build_mathml
from annotation.campaigns.sections.sources import ShownColumn
from annotation.errors import BadInput
from annotation.label_studio.markdown_html import render_markdown
from annotation.loading import campaign, campaign_lint


def list_texts(nodes: tuple[Node, ...]) -> Iterator[str]:
    """All texts of a tree."""
    for node in nodes:
        if isinstance(node, Element):
            yield node.attributes.get("value", "") + node.attributes.get("info", "")
            yield from list_texts(node.children)
        else:
            yield node.source if isinstance(node, Formula) else node


def list_elements(node: Node) -> Iterator[Element]:
    """An element and all that are in it."""
    if isinstance(node, Element):
        yield node
        for child in node.children:
            yield from list_elements(child)


def p(*children: Node) -> Element:
    """A paragraph."""
    return Element("p", children)


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        (
            "a **b** *c* `d`",
            (p("a ", Element("strong", ("b",)), " ", Element("em", ("c",)), " ", Element("code", ("d",))),),
        ),
        ("one\ntwo", (p("one", "\n", "two"),)),
        ("## Head", (Element("p", ("Head",), {"class": "heading"}),)),
        ("```py\n  x < 1\n```", (Element("pre", ("  x < 1",), {"info": "py"}),)),
        (
            "5. a\n9. b",
            (Element("ol", (Element("li", (p("a"),), {"value": "5"}), Element("li", (p("b"),), {"value": "9"}))),),
        ),
        (
            "|a|b|\n|-|-:|\n|1|$|\n",
            (
                Element(
                    "table",
                    (
                        Element(
                            "thead",
                            (Element("tr", (Element("th", ("a",)), Element("th", ("b",), {"class": "right"}))),),
                        ),
                        Element(
                            "tbody",
                            (Element("tr", (Element("td", ("1",)), Element("td", ("$",), {"class": "right"}))),),
                        ),
                    ),
                ),
            ),
        ),
        ("a\n$$\nx\n+ y\n- z\n$$\nb", (p("a"), Formula("x\n+ y\n- z", "$$\nx\n+ y\n- z\n$$", True), p("b"))),
    ],
)
def test_markdown_becomes_a_tree(text: str, nodes: tuple[Node, ...]) -> None:
    """Lines stay lines, lists keep the numbers that are written, and lines of a formula are no list."""
    assert parse_markdown(text).nodes == nodes


@pytest.mark.parametrize("latex", ["\u22123 \u00d7 2", r"- 3 \times 2"])
def test_typed_signs_are_operators(latex: str) -> None:
    """As those that LaTeX names."""
    built = build_mathml(latex, is_block=False)
    assert [one.children for one in list_elements(built or p()) if one.tag == "mo"] == [("\u2212",), ("\u00d7",)]


@pytest.mark.parametrize(
    "text",
    [
        "So:\n\n``` answer: 42",
        '```python title="a" 77\nx = 1\n```',
        "```42\n```",
        "```",
        "***",
        "\\begin{align*}a &= b \\\\ c &= 50\\%\\end{align*}",
    ],
)
def test_what_markdown_would_drop_is_shown_as_it_is_written(text: str) -> None:
    """Words behind a fence that are no language, signs alone, and backslashes of an environment outside a formula."""
    assert parse_markdown(text) == ((p(text),), True)


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        (r"$a$ $$b$$ \(c\) \[d\]", ["$a$", "$$b$$", r"\(c\)", r"\[d\]"]),
        ("between $5 and $10, $5–$10", []),
        (r"\$a$ and `$b$` and \\(c\\)", []),
        ("$a_1 + b_1$ and $*x*$", ["$a_1 + b_1$", "$*x*$"]),
        ("\\[\n  x\n\\]", ["\\[\n  x\n\\]"]),
        ("> $$\n> x\n> $$", ["$$\nx\n$$"]),
        ("$$x$$ in a line", ["$$x$$"]),
        ("$$\n\n$$", []),
        ("    $$x$$", []),
        ("|a|\n|-|\n|$x \\| y$|", ["$x | y$"]),
    ],
)
def test_signs_of_formulas(text: str, formulas: list[str]) -> None:
    """Prices are none, nor is code; a formula is no emphasis."""
    assert [formula.source for formula in list_formulas(parse_markdown(text).nodes)] == formulas


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>", "<b onclick='x'>bold</b>", "<!-- a comment -->", "[a](https://example.org/_b_)",
        "![a picture](https://example.org/x.png)", "<https://example.org>", "[a]: https://example.org",
        "&lt;b&gt; &copy;",
        "<div>\n<p>block</p>\n</div>",
    ],
)  # fmt: skip
def test_html_and_links_are_text(text: str) -> None:
    """As it is written, for nobody to click and no browser to fetch."""
    (paragraph,) = parse_markdown(text).nodes
    assert isinstance(paragraph, Element)
    assert (paragraph.tag, "".join(map(str, paragraph.children))) == ("p", text)


@pytest.mark.parametrize("text", ["|a|\n|-|\n|1|2|", ">" * 100 + " deep", "- " * 90 + "deep"])
def test_a_text_that_would_lose_something_stays_as_it_is(text: str) -> None:
    """Such as a cell beyond the columns of its table, or what is in too many quotes."""
    assert parse_markdown(text) == ((p(text),), True)


@pytest.mark.parametrize("part", ["$$\n", "\\[\n", "\\(", "$", "$a ", "- a\n", "*a ", "|a", "`", "> ", "a_b://"])
def test_no_text_takes_long(part: str) -> None:
    """Whatever is opened and never closed, thousands of times."""
    begun = time.process_time()
    parse_markdown(part * 3000)
    assert time.process_time() - begun < 3


@given(st.text("ab1|-`#>*_~$\\()[]{}<&+. \n\t5\u0301é", max_size=120))
@example("> " * 60 + "a")
def test_no_letter_is_lost(text: str) -> None:
    """Whatever the Markdown."""
    assert Counter(filter(str.isalnum, text)) <= Counter("".join(list_texts(parse_markdown(text).nodes)))


@pytest.mark.parametrize(
    ("latex", "drawn"),
    [
        ("a<b", "<mi>a</mi><mo><</mo><mi>b</mi>"),
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\mathbf{AB}\mathbb{R}", "<mrow><mi>𝐀</mi><mi>𝐁</mi></mrow><mi>ℝ</mi>"),
        (r"\mathfrak{gH}", "<mrow><mi>𝔤</mi><mi>ℌ</mi></mrow>"),
        (r"\boxed{42}", "<mrow class=box><mrow><mn>42</mn></mrow></mrow>"),
        (r"\text{<script>alert(1)</script>}", "<mtext><script>alert(1)</script></mtext>"),
        (
            r"\begin{aligned}a&=b\\c&=d\end{aligned}",
            (
                "<mtable displaystyle=true><mtr><mtd columnalign=right><mi>a</mi></mtd><mtd columnalign=left><mi></mi>"
                "<mo>=</mo><mi>b</mi></mtd></mtr><mtr><mtd columnalign=right><mi>c</mi></mtd><mtd columnalign=left>"
                "<mi></mi><mo>=</mo><mi>d</mi></mtd></mtr></mtable>"
            ),
        ),
    ],
)
def test_formulas_are_drawn(latex: str, drawn: str) -> None:
    """Text in them stays text, and letters of other alphabets are characters, which all browsers show."""

    def show(node: Node) -> str:
        if not isinstance(node, Element):
            return str(node)
        attributes = "".join(f" {name}={value}" for name, value in node.attributes.items())
        return f"<{node.tag}{attributes}>{''.join(map(show, node.children))}</{node.tag}>"

    built = build_mathml(latex, is_block=False)
    assert built is not None
    assert show(built) == f"<math display=inline><mrow>{drawn}</mrow></math>"


@pytest.mark.parametrize(
    "latex",
    [
        r"\foo{x}", r"\frac{a}", "x_", "x^2^3", r"\href{javascript:alert(1)}{x}", r"\style{color:red}{x}",
        r"\class{a}{x}",
        r"\def\x{\x\x}\x", r"\newcommand{\y}{1}\y", r"a \\ b", "a & b", r"\begin{array}{c|c}1&2\end{array}",
        r"\cancel{x}", r"\rule{9cm}{9cm}", r"\hspace{-99em}x", r"\mspace{99em}x", r"\phantom{x}", r"\unicode{x41}",
        r"\label{eq} x", r"\mathbf{ї}", "{}", r"\quad", "x" * 3000, "{" * 900 + "x" + "}" * 900, r"\left(" * 300,
        "\ud800_", "% x", r"\text{&#x3c;b>}",
    ],
)  # fmt: skip
def test_other_formulas_are_not_drawn(latex: str) -> None:
    """What is unknown, incomplete, deep or long, what runs or hides, and what a browser would leave out."""
    assert build_mathml(latex, is_block=True) is None


COMMANDS = [
    r"\frac", r"\sqrt", r"\text", r"\href", r"\style", r"\mathbf", r"\left(", r"\right)", r"\begin{matrix}",
    r"\end{matrix}", r"\\", "&", r"\alpha", r"\color", r"\unicode", r"\hspace", r"\operatorname", r"\not", r"\boxed",
    r"\substack", r"\overset", r"\binom", r"\xrightarrow", r"\tag", r"\above", "{", "}", "^", "_", "a", "1", "<b>", "'",
    " ",
]  # fmt: skip


@given(st.lists(st.sampled_from(COMMANDS), max_size=25).map("".join))
def test_what_is_drawn_is_allowed_and_whole(latex: str) -> None:
    """Only known elements, with known values of known attributes; every digit of the source is there."""
    built = build_mathml(latex, is_block=False)
    if built is None:
        return
    for element in list_elements(built):
        assert element.tag in mathml._TAGS
        assert all(
            one in {"class", "mathvariant"} or mathml._VALUES[one].fullmatch(value)
            for one, value in element.attributes.items()
        )
        assert len(element.children) == mathml._PARTS.get(element.tag, len(element.children))
    shown = unicodedata.normalize("NFKC", "".join(list_texts((built,))))
    assert latex.count("1") <= shown.count("1")
    assert "\\" not in shown


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("as: markdown", "as: markdown, gap: x", "`gap` is for plain text; leave `gap` or `as: markdown` out"),
        ("as: markdown", "as: markdown, mark: [gold]", "`mark` is for plain text; leave `mark` or `as: markdown` out"),
        (
            'type: choice, text: "Is it right?", options: ["yes", "no"]',
            "type: span, text: Where?, field: text",
            "'answer' is about words, and 'text' is Markdown; leave `as` out there",
        ),
        (
            'type: choice, text: "Is it right?", options: ["yes", "no"]',
            "type: edit, text: Correct it., field: text",
            "'answer' is about words, and 'text' is Markdown; leave `as` out there",
        ),
    ],
)  # fmt: skip
def test_what_counts_characters_is_refused(tmp_path: Path, before: str, after: str, message: str) -> None:
    """Its numbers are of the source, which nobody sees."""
    file = write_project(tmp_path, project=PROJECT.replace(before, after, 1))
    with pytest.raises(BadInput) as refused:
        project_file.read_project(file)
    assert message in str(refused.value)


def test_the_hash_knows_that_it_is_markdown(tmp_path: Path) -> None:
    """The stimulus is the source, for people as for models; the same text shown plain has another hash."""
    digests = set()
    for project in (PROJECT, PROJECT.replace(", as: markdown", "")):
        read = campaign.read_contents(
            project_file.read_project(write_project(tmp_path, project=project, texts=("**a**",)))
        )
        (item,) = read.items
        assert stimulus.render_pieces(item.pieces) == "**a**"
        digests.add(
            stimulus.compute_item_digest(item.pieces, "**a**", questions=read.questions, item_options=item.options)
        )
    assert len(digests) == 2


def test_a_definition_without_markdown_is_stored_as_before() -> None:
    """So that the hash of no other project changes."""
    assert ShownColumn(field="text").model_dump(by_alias=True).get("as") is None
    assert "markdown" not in stimulus.Piece("text", "a", title="A").to_dict()


def test_what_is_shown_as_written_is_named(tmp_path: Path) -> None:
    """With its line; of many the first ten."""
    texts = ("fine $x$", "odd $\\foo$ and $$\\frac{a}\n$$", "|a|\n|-|\n|1|2|", *["$\\foo$"] * 9)
    read = campaign.read_contents(project_file.read_project(write_project(tmp_path, texts=texts)))
    found = list(campaign_lint.describe_sources(read.items))
    place = tmp_path / "items.jsonl"
    assert found[:3] == [
        f"{place}:2, text: People see the formula $\\foo$ as it is written: hromada cannot draw it.",
        f"{place}:2, text: People see the formula $$\\frac{{a}} $$ as it is written: hromada cannot draw it.",
        (
            f"{place}:3, text: People see this text as it is written: Markdown would leave a part out, as of a row"
            " that is too long. Inside a table, write \\\\| for a vertical bar."
        ),
    ]
    assert found[10:] == ["2 more texts or formulas may not be shown as they are meant."]


@pytest.mark.parametrize(
    "price",
    ["$5 for one; two for US$ 15", "від $3 чи більше грошей; до US$ 15", "Is $5, US$ 15", "$5.50 (A$ 7)"],
)
def test_a_price_that_is_read_as_a_formula_is_named(tmp_path: Path, price: str) -> None:
    """With what to write, twice in JSON; formulas have no two words beside each other, but in commands for text."""
    formulas = (
        r"$\sin x$ $AB \parallel CD$ $\text{for all } n$ $\begin{cases} a & \text{if so} \end{cases}$ $\lim \sup x$"
    )
    read = campaign.read_contents(project_file.read_project(write_project(tmp_path, texts=(formulas, price))))
    (found,) = campaign_lint.describe_sources(read.items)
    end = price.index("$ ") + 1
    shown = price[price.index("$") : end]
    assert found == (
        f"{tmp_path / 'items.jsonl'}:2, text: People see {shown} as a formula. If it is none, write \\\\$ for each"
        " dollar sign."
    )


def test_label_studio_gets_elements_of_ours_around_escaped_text() -> None:
    """A formula is its source."""
    shown = render_markdown("# <b>&\n\n|a|\n|-:|\n|`<i>`|\n\n7. $x<y$\n\n---")
    assert shown == (
        '<p><strong>&lt;b&gt;&amp;</strong></p><table><thead><tr><th align="right">a</th></tr></thead><tbody><tr>'
        '<td align="right"><code>&lt;i&gt;</code></td></tr></tbody></table>'
        '<ol><li value="7"><p><code>$x&lt;y$</code></p></li></ol><hr>'
    )
