"""How what models get differs from what people had: what `declared.stimulus_differences` would have to say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from aggregation.findings import Finding
from exports.benchmark_items.rows import BenchmarkTask
from exports.benchmark_items.sources import BuildSource, TaskSource

DECLARED = "stimulus_differences"
"""The fact under `declared` that says the same in the organiser's words."""
ANSWERS: Mapping[str, str] = MappingProxyType(
    {
        "word": "differ-bullets",
        "letter": "differ-letters",
        "number": "differ-numbers",
        "choices": "differ-boxes",
        "span": "differ-span",
        "edit": "differ-edit",
    }
)
"""How people answered and how models do: by the form of a model's answer, or else by the type of the question.

Texts are typed by both.
"""


def list_differences(task: BenchmarkTask) -> tuple[Finding, ...]:
    """How what models get differs from what people had, as sentences."""
    return tuple(_list_differences(task.source, n_examples=task.num_few_shot))


def declare_differences(source: BuildSource, tasks: Sequence[BenchmarkTask]) -> BuildSource:
    """The source in which each data set also declares its differences, before what the organiser wrote of them."""
    found = {task.data.name: list_differences(task) for task in tasks}
    declaring = []
    for one in source.tasks:
        own = one.declared.get(DECLARED)
        sentences = [*found.get(one.data.name, ()), *([] if own is None else [own])]
        declared = {**one.declared, DECLARED: " ".join(sentences)} if sentences else one.declared
        declaring.append(replace(one, declared=declared))
    return replace(source, tasks=tuple(declaring))


def _list_differences(source: TaskSource, *, n_examples: int) -> Iterator[Finding]:
    code = ANSWERS.get(source.answer_form or source.kind)
    if code is not None:
        yield Finding(code)
    if source.abstain is not None:
        yield Finding("differ-abstention", option=source.abstain)
    if source.shuffled:
        yield Finding("differ-order")
    if source.highlights:
        yield Finding("differ-highlights")
    if source.shows_pictures and "telegram" in source.platforms:
        yield Finding("differ-pictures")
    if source.instructions and not source.model_instructions:
        yield Finding("differ-no-instructions")
    if source.model_instructions and source.model_instructions != source.instructions:
        yield Finding("differ-instructions")
    if n_examples:
        yield Finding("differ-examples", n=n_examples)
