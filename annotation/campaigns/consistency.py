"""Checks that the sections of a project file do not contradict each other.

Each check returns the first contradiction that it finds, or None. Two lists hold warnings of what is allowed, but weak.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping

from aggregation import spelling
from annotation.campaigns.project_sections import ProjectSections
from annotation.campaigns.questions import Question
from annotation.campaigns.sections.annotators import find_impossible_admission
from annotation.campaigns.sections.base import Contradiction, multiply_share
from annotation.campaigns.sections.panels import (
    find_panel_contradiction,
    list_shared_panels,
    list_weak_panels,
    sum_panel_votes,
)
from annotation.campaigns.sections.quality import ControlRule, SecondsRule, StraightLiningRule, TextRule
from annotation.campaigns.sections.sources import ItemsSection
from annotation.campaigns.sections.stages import SampledOverlap
from annotation.campaigns.yaml_document import KeyPath
from annotation.vocabulary import Pool


def list_idle_rules(
    definition: ProjectSections, item_counts: Mapping[Pool, int], *, quota: int | None = None
) -> Iterator[str]:
    """Sentences about quality rules and repeats that can have no effect; `item_counts` are the items of each pool.

    `quota` is the most items that one annotator gets in the programme of the project.

    Of imported votes there are none: what rules can do there depends on the contents of the file.
    """
    if not isinstance(definition.items, ItemsSection) or definition.overlap is None:
        return
    cap = None if definition.caps is None else definition.caps.items
    n_items = min(limit for limit in (item_counts.get(Pool.MAIN, 0), cap, quota) if limit is not None)
    for number, rule in enumerate(definition.quality, start=1):
        if isinstance(rule, ControlRule):
            n_met = _count_controls_of_one(definition, item_counts, n_items)
            n_met += item_counts.get(Pool.TRAINING, 0) if rule.training_counts else 0
            if n_met < rule.min_controls:
                yield (
                    f"Rule {number} of `quality` judges nobody: it waits for {rule.min_controls} answers to control"
                    f" items, and one person meets at most {n_met}. Make more control items or show them more often,"
                    f" or write `min_controls: {max(1, n_met)}`."
                )
        elif isinstance(rule, StraightLiningRule) and rule.run > n_items:
            yield (
                f"Rule {number} of `quality` judges nobody: {rule.run} answers in a row are asked for, and one person"
                f" gets at most {n_items} items. Write a smaller `run`."
            )
    if definition.repeats is not None and round(definition.repeats.share * n_items) == 0:
        yield (
            f"No item is asked again: {definition.repeats.share:.0%} of the {n_items} items of one person is less than"
            " one. Write a larger `repeats.share`, or leave it out."
        )


def list_weaknesses(definition: ProjectSections, item_counts: Mapping[Pool, int]) -> Iterator[str]:
    """Sentences about what makes the results of a campaign weak, of a baseline above all, although it can be run."""
    if definition.overlap is None:
        return
    yield from list_shared_panels(definition.panels)
    if definition.kind != "baseline":
        return
    has_gold = isinstance(definition.items, ItemsSection) and (definition.items.gold or definition.items.golds)
    if not has_gold and not any(panel.gold for panel in definition.panels.values()):
        yield "A baseline without gold scores nobody: name the column with right answers in `items.gold`."
    least, sampled = definition.min_overlap or 0, definition.sampled_overlap
    if sum_panel_votes(definition.panels) is not None:
        yield from list_weak_panels(definition.panels)
    elif sampled is not None:
        yield from _list_sample_weaknesses(sampled)
    elif least == 1:
        yield "With one answer an item there is no agreement and no majority: write `overlap: 3` or more."
    elif least % 2 == 0:
        yield f"With an even number of answers ({least}) the majority can tie: write an odd `overlap`, as {least + 1}."
    if item_counts.get(Pool.MAIN, 0) == 1:
        yield "One item has no interval: put more items into the file."


def _list_sample_weaknesses(overlap: SampledOverlap) -> Iterator[str]:
    if overlap.of % 2 == 0:
        yield (
            f"With an even number of answers ({overlap.of}) the majority of the sample can tie: write an odd `of`, as"
            f" {overlap.of + 1}."
        )


def _count_controls_of_one(definition: ProjectSections, item_counts: Mapping[Pool, int], n_items: int) -> int:
    """The most control items that one annotator meets beside their main items."""
    controls = definition.controls
    if controls is None:
        return 0
    n_pool = item_counts.get(Pool.CONTROL, 0)
    if controls.per_page is not None and definition.pages is not None:
        n_pages = math.ceil(n_items / max(1, definition.pages.items - controls.per_page))
        return min(n_pool, n_pages * controls.per_page)
    rate = multiply_share(controls.rate or 0.0, 1)
    return n_pool if rate >= 1 else min(n_pool, math.ceil(n_items * rate / (1 - rate)))


MAX_MESSAGE = 4096
"""How many characters a message of an annotator carries; a longer text comes in parts, and is refused."""


def list_contradictions(file: ProjectSections) -> list[Contradiction]:
    """The first contradiction of each check; only that of the questions where it is unclear what is asked."""
    checks: tuple[Callable[[ProjectSections], Contradiction | None], ...] = (
        _check_items, _check_options, _check_systems, _check_empty, _check_classes, _check_show_if, _check_columns,
        _check_filtering, _check_stages, _check_controls, _check_quality, _check_annotators, _check_panels,
        _check_overlap_sample, _check_benchmark,
    )  # fmt: skip
    unclear = _check_questions(file)
    if unclear is not None:
        return [unclear]
    return [contradiction for check in checks if (contradiction := check(file)) is not None]


def find_unused_key(file: ProjectSections) -> Contradiction | None:
    """Return the first key without effect, None where there is none: a pilot cannot be passed, nor gold be unseen.

    Only new project files are refused for it; stored definitions stay valid.
    """
    for key in ("pass_mark", "attempts", "cool_down", "explain"):
        if file.stages.pilot is not None and getattr(file.stages.pilot, key):
            message = (
                f"Nobody passes or fails a pilot, and `{key}` would do nothing there; a qualification lets people in"
            )
            return Contradiction(message, ("stages", "pilot", key))
    if file.repeats is not None and file.asks_in_steps:
        message = "Nobody can answer blind again what was asked in steps: the right answer was shown; leave it out"
        return Contradiction(message, ("repeats",))
    if file.judges is not None and not any(one.takes_one_option for one in file.all_questions):
        message = "Judges are measured on choices, scales and preferences, and none is asked; leave it out"
        return Contradiction(message, ("judges",))
    return None


def find_impossible_length(file: ProjectSections) -> Contradiction | None:
    """Return the first text question that people are asked and whose `longest` no message carries.

    As by `find_unused_key`, only new project files are refused for it.
    """
    for question_path, question in _list_questions(file) if file.overlap is not None else ():
        if question.longest_message is not None and question.longest_message > MAX_MESSAGE:
            message = f"No message carries {question.longest_message} characters, Telegram's longest has {MAX_MESSAGE}"
            return Contradiction(message, (*question_path, "longest"))
    return None


def _list_questions(file: ProjectSections) -> Iterator[tuple[KeyPath, Question]]:
    """Yield every question with its key path."""
    for index, question in enumerate(file.all_questions):
        yield ("question",) if file.questions is None else ("questions", index), question


def _check_questions(file: ProjectSections) -> Contradiction | None:
    if (file.question is None) == (file.questions is None):
        return Contradiction(
            "What is asked? Write `question` for one question, or `questions` for a list", ("questions",)
        )
    earlier: list[Question] = []
    for key_path, question in _list_questions(file):
        if question.name in {other.name for other in earlier}:
            return Contradiction(
                f"Two questions are named {question.name!r}; give each a `name` of its own", (*key_path, "name")
            )
        if earlier and question.step < earlier[-1].step:
            return Contradiction("The steps of the questions must not go back", (*key_path, "step"))
        earlier.append(question)
    if file.instructions and file.instructions_file:
        message = "The instructions are given twice; keep `instructions` or `instructions_file`"
        return Contradiction(message, ("instructions_file",))
    return None


def _check_items(file: ProjectSections) -> Contradiction | None:
    if not isinstance(file.items, ItemsSection):
        return _check_items_from_votes(file)
    if not file.items.show and not any(question.option_columns for _, question in _list_questions(file)):
        return Contradiction("The items show nothing. Name a column", ("items", "show"))
    if file.truth is not None:
        return Contradiction("Items from a file carry their gold in a column; leave `truth` out", ("truth",))
    if file.votes is not None and file.votes.earlier and file.overlap is None:
        message = (
            "Votes are earlier than others only where people are asked as well; add `overlap`, or leave `earlier` out"
        )
        return Contradiction(message, ("votes", "earlier"))
    if file.votes is None and file.overlap is None:
        return Contradiction("How many people answer each item? Add `overlap: 3`", ("overlap",))
    return None


def _check_overlap_sample(file: ProjectSections) -> Contradiction | None:
    if file.sampled_overlap is None or file.votes is None or file.votes.earlier:
        return None
    message = (
        "Imported votes fill the overlap as they come, so that no sample can be drawn; write one number, or"
        " `votes.earlier: yes` to keep these votes apart"
    )
    return Contradiction(message, ("overlap",))


def _check_items_from_votes(file: ProjectSections) -> Contradiction | None:
    if file.votes is None or file.votes.file is None:
        return Contradiction("Items from votes need `votes` with a `file`", ("votes", "file"))
    if file.votes.earlier:
        message = "Items from votes are asked of nobody else, so that no votes are earlier; leave `earlier` out"
        return Contradiction(message, ("votes", "earlier"))
    if file.overlap is not None:
        return Contradiction("Imported votes have the overlap that they have; leave `overlap` out", ("overlap",))
    if file.stages.by_name or file.controls is not None:
        key_path: KeyPath = ("stages",) if file.stages.by_name else ("controls",)
        return Contradiction("Items from votes have no stages and no control items to serve", key_path)
    for question_path, question in _list_questions(file):
        shown = file.votes.show or file.votes.item
        missing = [column for column in question.required_columns() if shown is not None and column not in shown]
        if missing:
            message = f"The question is about the column {missing[0]!r}, which no item shows; name it as `votes.show`"
            return Contradiction(message, question_path)
    return None


def _check_options(file: ProjectSections) -> Contradiction | None:
    with_options = [(key_path, question) for key_path, question in _list_questions(file) if question.takes_item_options]
    section = file.items if isinstance(file.items, ItemsSection) else file.votes
    item_options = section.options if section is not None else None
    compared = _check_compared(file, item_options)
    if compared is not None or any(question.option_columns for _, question in with_options):
        return compared
    without_own_options = [key_path for key_path, question in with_options if question.fixed_options is None]
    if without_own_options and not item_options:
        return Contradiction(
            "There are no options: write question.options, or name the columns that hold each item's own",
            (*without_own_options[0], "options"),
        )
    if item_options and not without_own_options:
        key_path = ("items" if isinstance(file.items, ItemsSection) else "votes", "options")
        if not with_options:
            return Contradiction("No question takes the options of the items; leave `items.options` out", key_path)
        return Contradiction(
            "The options are given twice, in the question and as columns of the items: keep one of both", key_path
        )
    return None


def _check_compared(file: ProjectSections, item_options: tuple[str, ...] | None) -> Contradiction | None:
    """Check that compared texts are the only options of the items, and shown nowhere else."""
    key = "items" if isinstance(file.items, ItemsSection) else "votes"
    sides: tuple[str, ...] = ()
    shown = _list_shown(file)
    for key_path, question in _list_questions(file):
        if question.takes_item_options and question.fixed_options is None and not question.option_columns and sides:
            message = "The compared texts are the options of the items; give this question `options` of its own"
            return Contradiction(message, (*key_path, "options"))
        if not question.option_columns:
            continue
        if sides and question.option_columns != sides:
            return Contradiction("All questions of a project compare the same `sides`", (*key_path, "sides"))
        sides = question.option_columns
        if item_options is not None and item_options != sides:
            message = f"The compared texts are the options of the items; leave `{key}.options` out"
            return Contradiction(message, (key, "options"))
        told = _find_shown(question, shown, key, key_path)
        if told is not None:
            return told
    return None


def _find_shown(question: Question, shown: Collection[str], key: str, key_path: KeyPath) -> Contradiction | None:
    """The first of the compared texts that is shown apart, or the first column of a system that is shown at all."""
    twice = next((column for column in question.option_columns if column in shown), None)
    if twice is not None:
        message = f"The side {twice!r} would be shown twice, and in a fixed place; take it out of `{key}.show`"
        return Contradiction(message, (*key_path, "sides"))
    told = next((column for column in question.system_columns if column in shown), None)
    if told is not None:
        message = f"The column {told!r} names a system, which nobody may see; take it out of `{key}.show`"
        return Contradiction(message, (*key_path, "systems"))
    return None


def _check_systems(file: ProjectSections) -> Contradiction | None:
    """Check that votes on two systems have the columns of the systems: sides without them would be ranked instead."""
    if file.votes is None or file.votes.format != "comparisons":
        return None
    for key_path, question in _list_questions(file):
        if question.option_columns and not question.system_columns:
            message = "Votes of the format `comparisons` are about systems; add `systems: [model_a, model_b]`"
            return Contradiction(message, (*key_path, "sides"))
    return None


def _check_empty(file: ProjectSections) -> Contradiction | None:
    """`votes.empty: tie` is for questions that have a tie."""
    empty = None if file.votes is None else file.votes.empty
    compared = [question for _, question in _list_questions(file) if question.option_columns]
    if empty is None or any(empty in question.get_labels(None) for question in compared):
        return None
    return Contradiction("No question of the type `preference` has a `tie`; leave `empty` out", ("votes", "empty"))


def _list_shown(file: ProjectSections) -> set[str]:
    """The columns of the texts that annotators see."""
    if not isinstance(file.items, ItemsSection):
        return {*((file.votes and file.votes.show) or ())}
    shown = {column.field for column in file.items.shown_columns}
    return shown if file.items.explanation is None else shown | {file.items.explanation}


def _check_classes(file: ProjectSections) -> Contradiction | None:
    """`votes.class` reads the parts of questions about one class; questions that name classes take all of them."""
    if file.votes is None or file.votes.class_ is None:
        return None
    chosen = file.votes.class_
    questions = [question for _, question in _list_questions(file) if question.marks_parts]
    key_path: KeyPath = ("votes", "class")
    for name in chosen if isinstance(chosen, dict) else ():
        if name not in {question.name for question in questions}:
            return Contradiction(f"No question of the type span is named {name!r}", (*key_path, name))
    if not questions:
        return Contradiction("Only the parts of a question of the type span have classes; leave `class` out", key_path)
    for question in questions:
        if question.part_classes is not None and file.votes.get_class(question.name) is not None:
            message = f"The question {question.name!r} takes all its `labels`; keep these or `votes.class`"
            return Contradiction(message, key_path)
    return None


def _check_show_if(file: ProjectSections) -> Contradiction | None:
    earlier: dict[str, Question] = {}
    for question_path, question in _list_questions(file):
        for name, values in (question.show_if or {}).items():
            key_path = (*question_path, "show_if", name)
            if name not in earlier:
                return Contradiction(
                    f"{question.name!r} is shown if {name!r} was answered, which is not asked before it", key_path
                )
            if not earlier[name].can_be_condition:
                given = "part marked" if earlier[name].marks_parts else "number given"
                message = f"{question.name!r} depends on the {given} in {name!r}; ask a choice before it instead"
                return Contradiction(message, key_path)
            possible = earlier[name].closed_answers
            names = None if possible is None else spelling.index_names(possible)
            unknown = next(
                (value for value in values if names is not None and spelling.build_key(value) not in names), None
            )
            if unknown is not None:
                named = spelling.quote_word(unknown, beside=possible or ())
                message = f"{question.name!r} is shown if {name!r} is {named}, which nobody can answer"
                return Contradiction(message, key_path)
        earlier[question.name] = question
    return None


def _check_columns(file: ProjectSections) -> Contradiction | None:
    """Check that the questions named in other sections exist, and that fields to mark or correct are shown."""
    names = {question.name for question in file.all_questions}
    golds = file.items.golds if isinstance(file.items, ItemsSection) else {}
    for key_path, named_questions in (
        (("items", "golds"), golds),
        (("votes", "answers"), file.votes.answers if file.votes else {}),
        (("controls", "questions"), file.controls.questions if file.controls else ()),
        (("benchmark", "questions"), file.benchmark.questions),
    ):
        unknown = next((name for name in named_questions if name not in names), None)
        if unknown is not None:
            return Contradiction(
                f"`{'.'.join(key_path)}` speaks of a question {unknown!r} that is not asked", (*key_path, unknown)
            )
    if isinstance(file.items, ItemsSection):
        shown = {column.field: column for column in file.items.shown_columns}
        if file.items.system is not None and file.items.system in {*shown, *(file.items.options or ())}:
            message = f"The column {file.items.system!r} names the system, which nobody may see; do not show it"
            return Contradiction(message, ("items", "system"))
        for question_path, question in _list_questions(file):
            for column in question.required_columns():
                if column not in shown:
                    return Contradiction(
                        f"{question.name!r} is about the column {column!r}, which `items.show` does not show",
                        (*question_path, "field"),
                    )
                if (kind := shown[column].as_) != "text":
                    what = "a picture; name a column of texts" if kind == "image" else "Markdown; leave `as` out there"
                    message = f"{question.name!r} is about words, and {column!r} is {what}"
                    return Contradiction(message, (*question_path, "field"))
    return None


def _check_filtering(file: ProjectSections) -> Contradiction | None:
    """Check that `problems` are questions answered by boxes or texts, and that the answers of `keep` can be given."""
    filtering, key_path = file.filtering, ("filtering",)
    if filtering is None:
        return None
    if not filtering.problems and not filtering.keep:
        return Contradiction("What removes an item? Name questions in `problems`, or answers in `keep`", key_path)
    questions = {question.name: question for question in file.all_questions}
    for name in filtering.problems:
        if name not in questions or not questions[name].can_name_problems:
            message = f"`filtering.problems` names {name!r}, which is not a question answered by boxes or text"
            return Contradiction(message, (*key_path, "problems"))
    for name, values in (filtering.keep or {}).items():
        question = questions.get(name)
        possible = question.closed_answers if question is not None and question.takes_one_option else None
        unknown = next((value for value in values if value not in (possible or ())), None)
        if unknown is not None:
            message = f"`filtering.keep` speaks of {unknown!r}, which nobody can answer to a question {name!r}"
            return Contradiction(message, (*key_path, "keep", name))
    gold = file.items.gold if isinstance(file.items, ItemsSection) else file.truth
    if filtering.failure and not gold:
        return Contradiction("`filtering.failure` needs gold of the first question", (*key_path, "failure"))
    return None


def _check_stages(file: ProjectSections) -> Contradiction | None:
    if not isinstance(file.items, ItemsSection):
        return None
    has_gold = file.items.gold or file.items.golds
    for name in ("training", "qualification"):
        if name in file.stages.by_name and not has_gold:
            return Contradiction(f"The {name} stage needs gold; name its column in `items.gold`", ("stages", name))
    if file.stages.training and file.stages.training.explain and file.items.explanation is None:
        message = "The training explains; name the column in `items.explanation`"
        return Contradiction(message, ("stages", "training", "explain"))
    return None


def _check_controls(file: ProjectSections) -> Contradiction | None:
    if file.controls is None or not isinstance(file.items, ItemsSection):
        return None
    if not (file.items.gold or file.items.golds):
        return Contradiction("Control items need gold; name its column in `items.gold`", ("controls",))
    if file.controls.per_page is not None:
        key_path = ("controls", "per_page")
        if file.pages is None:
            return Contradiction("Control items per page need `pages`", key_path)
        if file.controls.per_page >= file.pages.items:
            return Contradiction("A page of nothing but control items brings no answers", key_path)
    return None


def _check_quality(file: ProjectSections) -> Contradiction | None:
    for index, rule in enumerate(file.quality):
        key_path = ("quality", index)
        if rule.rule == "control" and file.controls is None and (file.votes is None or file.votes.format != "toloka"):
            message = "A rule about control items needs `controls`, or votes from Toloka with their GOLDEN columns"
            return Contradiction(message, key_path)
        if not isinstance(file.items, ItemsSection) and (rule.rule != "control" or rule.consequence == "pause"):
            message = "Nobody works on imported votes: their rules are about control items, and flag or exclude"
            return Contradiction(message, key_path)
        if isinstance(rule, SecondsRule) and rule.per == "page" and file.pages is None:
            return Contradiction("A rule about pages needs `pages`", (*key_path, "per"))
        if isinstance(rule, TextRule) and ("words" in rule.refuses) != (rule.words is not None):
            return Contradiction("A rule about words needs the file with them in `words`", (*key_path, "refuses"))
        if isinstance(rule, TextRule) and not any(question.is_text for question in file.all_questions):
            return Contradiction("A rule about texts needs a question that is answered by one", key_path)
    return None


def _check_benchmark(file: ProjectSections) -> Contradiction | None:
    """Check that models can be shown the instructions and the examples that `benchmark` promises."""
    benchmark, examples = file.benchmark, file.benchmark.few_shot
    if benchmark.instructions is True and not (file.instructions or file.instructions_file):
        message = "Models read the instructions of annotators, and there are none; write `instructions`"
        return Contradiction(message, ("benchmark", "instructions"))
    if examples is None or examples.number == 0:
        return None
    key_path: KeyPath = ("benchmark", "few_shot", "pool")
    if benchmark.own_pool is None and file.stages.training is None:
        return Contradiction("There is no training to take examples from; name a file with them in `pool`", key_path)
    if isinstance(file.items, ItemsSection) and not (file.items.gold or file.items.golds):
        return Contradiction("Examples need gold; name its column in `items.gold`", key_path)
    if not isinstance(file.items, ItemsSection) and benchmark.own_pool is not None and benchmark.own_pool.file is None:
        return Contradiction("Items from votes have no other pools; name a `file` with the examples", key_path)
    return None


def _check_annotators(file: ProjectSections) -> Contradiction | None:
    names: set[str] = set()
    for index, field in enumerate(file.profile):
        if field.name in names:
            return Contradiction(f"The profile asks for {field.name!r} twice", ("profile", index, "name"))
        names.add(field.name)
    if file.exposure is not None and file.project in file.exposure.exceptions:
        return Contradiction("A project needs no exposure exception for itself", ("exposure", "exceptions"))
    return find_impossible_admission(file.profile, file.admission, invites_friends=file.invite_friends is not None)


def _check_panels(file: ProjectSections) -> Contradiction | None:
    varies = file.min_overlap != file.max_overlap
    return find_panel_contradiction(file.panels, file.profile, overlap=file.min_overlap, varies=varies)
