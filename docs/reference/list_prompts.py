"""Write eval-ua-tion-prompts.md: the published prompts of Eval-UA-tion 1.0 beside those that we build of examples/.

python docs/reference/list_prompts.py: the nine examples are loaded and built anew. A test in
tests/benchmark/test_examples.py writes the page from its own build of them, and compares.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exports.benchmark import Benchmark
from exports.benchmark_items.task_functions import build_prompt

PAGE = Path(__file__).with_name("eval-ua-tion-prompts.md")
PROGRAMME = "eval-ua-tion"
Doc = Mapping[str, Any]
INTRODUCTION = """\
# Prompts of Eval-UA-tion 1.0

What a model read in Eval-UA-tion 1.0 (Hamotskyi, Levbarg, Hänig 2024), and what `hromada build` writes for the nine
examples in `examples/eval-ua-tion`. The published prompts follow the task files of
[its repository](https://github.com/pchr8/eval-UA-tion/tree/main/code/lmeval_tasks/tasks) and are filled with our items,
because its texts may not be copied. `python docs/reference/list_prompts.py` writes this page. A test compares it with a
build.

## Differences of all nine

"""
HEAD = "| Published | Ours | Decision |\n|---|---|---|\n"
Difference = tuple[str, str, str]
"""What was published, what is ours, and why it differs."""
COMMON: tuple[Difference, ...] = (
    (
        "One task, `generate_until`",
        "Two: `NAME` by likelihood, and `NAME_generation`",
        "Chat models tell no likelihoods. `NAME_generation` is the published kind. Nothing averages the two.",
    ),
    (
        "A reply ends at its first line",
        "A reply ends at two empty lines",
        "A reasoning model writes lines before its answer. [Readers](readers.md) find the answer.",
    ),
    (
        "`exact_match` without case and punctuation",
        "`accuracy` and `accuracy_strict`",
        "The strict one is nearest to the published score. The other one also reads “Відповідь: …” and bold text.",
    ),
    (
        "A split `fewshot`; UP-Titles takes test items",
        "A pool under `benchmark.few_shot`, which shares no group with test items",
        "A model must not read the story or the answer of an item before it.",
    ),
    (
        "An empty line after each example",
        "Two empty lines",
        "Replies end where examples end, and texts of items have empty lines.",
    ),
    (
        "No instructions",
        "No instructions",
        "`benchmark: {instructions: yes}` adds them. The published results are without them.",
    ),
    (
        "People tapped words on buttons",
        "People tap words on buttons",
        "The manifest lists this under `differences`, and a release prints it.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """One of the nine: its title, our example, the published tasks, and what differs beyond what differs in all.

    `write` fills the published prompt with an item of ours, `target` is the published answer to it. The item is one of
    `reads` where the published prompt shows what our example does not.
    """

    title: str
    example: str
    published: str
    shots: int
    write: Callable[[Doc], str]
    target: Callable[[Doc], str]
    differences: Sequence[Difference]
    reads: str = ""


def list_options(doc: Doc) -> str:
    """The options as an enumeration."""
    return ", ".join(doc["options"])


def write_lmentry(question: str) -> str:
    """The prompt of all tasks of LMentry-static-UA."""
    return f"Питання: {question}\nВідповідь:"


def write_belonging(doc: Doc) -> str:
    """Whether all words belong to a category."""
    found = re.fullmatch(r"Чи всі слова належать до «(.+)»: (.+)\?", doc["stimulus"])
    if found is None:
        raise ValueError(f"This question has another wording than the page knows: {doc['stimulus']}")
    return write_lmentry(f"Чи належать слова '{found[2]}' всі до категорії '{found[1]}'?")


def write_cloze(doc: Doc) -> str:
    """The story in one line, and the options in another."""
    letters = "; ".join(f"{letter}: {option}" for letter, option in zip("ABCDEF", doc["options"], strict=True))
    story = re.sub(r"\s+", " ", doc["stimulus"])
    return f"{story}\nПИТАННЯ: Яке слово має бути замість ______? {letters}\nВІДПОВІДЬ:"


def write_titles(doc: Doc) -> str:
    """The article in one line, and each title in a line of its own."""
    titles = "\n".join(f"{number}) {title}" for number, title in enumerate(doc["options"]))
    text = doc["stimulus"].replace("\n", " ")
    question = "Який з наведених заголовків найбільше підходить для цієї статті?"
    return f"{text}\nПИТАННЯ: {question}\n{titles}\nВІДПОВІДЬ:"


LISTED = (
    "No options are listed",
    "The options are listed",
    "People chose among these options. Without a list a model can lose by wording alone.",
)
FROM_ONE = ("Titles are numbered from 0", "Titles are numbered from 1", "In our tasks with boxes 0 means “none”.")
NO_SPLIT = ("Examples are test items", "Examples are other articles", "The published task has no split for examples.")
IN_QUESTION = (
    "The words are in the question",
    "The words are listed below the question",
    "People had them on buttons. A list is also what the likelihoods are of.",
)
COLON = (
    "“Питання: … Відповідь:” around everything",
    "The question as it stands, then “Відповідь:”",
    "The item is a question already.",
)
ORDER = (
    "The odd word is last in every item",
    "The odd word is anywhere",
    "“Take the last one” was right in 200 of 200 items. `hromada check` finds that.",
)
PARAGRAPHS = (
    "Line breaks of the text become spaces",
    "Paragraphs stay",
    "People read paragraphs, and prompts may have several lines now.",
)
CUE = (
    "“ВІДПОВІДЬ:”",
    "“Відповідь (лише …):”",
    "It asks a chat model to write nothing else.",
)
SHAPES = (
    Shape(
        title="LMES: letter of a word",
        example="lmes-low",
        published="lmes_low",
        shots=3,
        write=lambda doc: write_lmentry(doc["stimulus"]),
        target=lambda doc: str(doc["gold"]),
        differences=(LISTED, COLON),
    ),
    Shape(
        title="LMES: word of a sentence",
        example="lmes-wis",
        published="lmes_wis",
        shots=3,
        write=lambda doc: write_lmentry(doc["stimulus"]),
        target=lambda doc: str(doc["gold"]),
        differences=(LISTED, COLON),
    ),
    Shape(
        title="LMES: longer word",
        example="lmes-wordlength",
        published="lmes_wordlength",
        shots=3,
        write=lambda doc: write_lmentry('Яке слово довше: "{}" чи "{}"?'.format(*doc["options"])),
        target=lambda doc: str(doc["gold"]),
        differences=(
            IN_QUESTION,
            COLON,
            ("Four wordings, also “коротше”", "One wording", "An example needs one. A file of items can have any."),
        ),
    ),
    Shape(
        title="LMES: first word of the alphabet",
        example="lmes-wordalpha",
        published="lmes_wordalpha",
        shots=3,
        write=lambda doc: write_lmentry(
            'Яке слово перше по алфавітному порядку: "{}" чи "{}"?'.format(*doc["options"])
        ),
        target=lambda doc: str(doc["gold"]),
        differences=(
            IN_QUESTION,
            COLON,
            ("“перше по алфавітному порядку”", "“перше за абеткою”", "It is what people read."),
        ),
    ),
    Shape(
        title="LMES: words of a category",
        example="lmes-cats-bin",
        published="lmes_catsbin",
        shots=3,
        write=write_belonging,
        target=lambda doc: str(doc["gold"]),
        differences=(
            (
                "“так” and “ні” are not named",
                "“Так чи ні?”",
                "People had two buttons.",
            ),
            COLON,
            ("The intruder is last in every “no” item", "The intruder is anywhere", "Its place would tell the answer."),
        ),
    ),
    Shape(
        title="LMES: odd word",
        example="lmes-cats-mc",
        published="lmes_catsmc",
        shots=3,
        write=lambda doc: write_lmentry(f"Визначте зайве слово з цього списку: {list_options(doc)}."),
        target=lambda doc: str(doc["gold"]),
        differences=(
            IN_QUESTION,
            COLON,
            (
                "The category is not named",
                "The category is named",
                "Among five words alone several can be odd.",
            ),
            ORDER,
        ),
    ),
    Shape(
        title="UA-CBT",
        example="ua-cbt",
        published="ua_cbt",
        shots=2,
        write=write_cloze,
        target=lambda doc: str(doc["answer"]),
        differences=(
            (
                "Options in one line, “A: …; B: …”",
                "One option in a line, “A. …”",
                "A letter is easier to find at the beginning of a line. The answer is the Latin letter in both.",
            ),
            (
                "“Яке слово має бути замість ______?”",
                "“Яке слово пропущено?”",
                "It is what people read. The gap is in the text above.",
            ),
            PARAGRAPHS,
            CUE,
        ),
    ),
    Shape(
        title="UP-Titles, masked",
        reads="up-titles-unmasked",
        example="up-titles-masked",
        published="up_masked",
        shots=3,
        write=write_titles,
        target=lambda doc: str(doc["label"]),
        differences=(
            (
                "The article is not masked (`ukr_text`), its titles are",
                "Article and titles are masked",
                "People read the masked article.",
            ),
            FROM_ONE,
            NO_SPLIT,
            PARAGRAPHS,
            CUE,
        ),
    ),
    Shape(
        title="UP-Titles, unmasked",
        example="up-titles-unmasked",
        published="up_unmasked",
        shots=3,
        write=write_titles,
        target=lambda doc: str(doc["label"]),
        differences=(
            FROM_ONE,
            NO_SPLIT,
            PARAGRAPHS,
            CUE,
        ),
    ),
)
"""The nine, in the order of the examples' names in the paper's tables."""


def write_page(benchmark: Benchmark) -> str:
    """The text of the page, from a build of the nine examples as one programme."""
    parts = (part for shape in SHAPES for part in _describe(shape, benchmark))
    return INTRODUCTION + _write_table(COMMON) + "".join(parts)


def _write_table(differences: Sequence[Difference]) -> str:
    return HEAD + "".join(f"| {' | '.join(difference)} |\n" for difference in differences)


def _describe(shape: Shape, benchmark: Benchmark) -> Iterator[str]:
    doc, read = (_read_first(benchmark, example) for example in (shape.example, shape.reads or shape.example))
    shots = benchmark.manifest["tasks"][f"{PROGRAMME}.{shape.example}"]["num_few_shot"]
    file = f"{shape.example}.yaml"
    yield f"\n## {shape.title}\n\n"
    yield f"Published as `{shape.published}`, {shape.shots} examples before each item:\n\n"
    yield f"```text\n{shape.write(read)} {shape.target(read)}\n```\n\n"
    yield f"Ours, [`{file}`](../../examples/eval-ua-tion/{file}), {shots} examples before each item:\n\n"
    yield f"```text\n{build_prompt(dict(doc))} {doc['answer']}\n```\n\n"
    yield _write_table(shape.differences)


def _read_first(benchmark: Benchmark, example: str) -> Doc:
    """The first test item of an example."""
    rows = benchmark.files[f"hugging_face/{PROGRAMME}.{example}/test.jsonl"]
    first: Doc = json.loads((rows if isinstance(rows, str) else rows.decode()).splitlines()[0])
    return first


def build_examples(folder: Path) -> Benchmark:
    """A build of the nine examples, answered by simulated people, without replay."""
    sys.path[:0] = [str(Path(__file__).parents[2] / part) for part in ("benchmarks/shared", "tests/shared")]
    from _built_benchmarks import EXAMPLES, open_campaigns

    from exports.benchmark import build_benchmark
    from exports.benchmark_items import BuildOptions

    with open_campaigns(folder) as campaigns:
        (folder / "files").symlink_to(EXAMPLES)
        for shape in SHAPES:
            name = campaigns.load(folder / f"files/eval-ua-tion/{shape.example}.yaml")
            campaigns.answer([name], people=12, seed=1)
        campaigns.bundle(PROGRAMME, "uk")
        return build_benchmark(campaigns.read_source(PROGRAMME), options=BuildOptions(), replay=False)


def main() -> None:
    """Renew the page."""
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(write_page(build_examples(Path(folder))), "utf-8")


if __name__ == "__main__":
    main()
