"""The data set of a project, and the options of the commands that compute with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from aggregation.errors import HromadaError

if TYPE_CHECKING:
    from sqlmodel import Session

    from annotation.store.models import Project
    from exports.inputs import DataSet


NAMED_PROJECTS = 3  # of those that are blind
NAMED_ITEMS = 5  # of those that a note names
PANELS = "Fresh panel: new people on new items; this panel: these people on new items; both 95%, of the difference."
Unblind = Annotated[
    bool,
    typer.Option("--unblind", help="Show results of a baseline before it is closed. The journal and a release say so."),
]


def check_blindness(names: Sequence[str], *, by: str, unblind: bool) -> None:
    """Raise HromadaError where results of a blind project would be shown, or record that they are, with `unblind`.

    `names` are projects and programmes by name or file, all projects where it is empty; `by` is the command.
    """
    from aggregation.errors import HromadaError
    from annotation.workflow.monitoring import blindness
    from bot.commands import database_session

    with database_session.open_database() as database:
        with database.reading() as view:
            blind = blindness.list_blind_projects(view, list(_list_projects(view, names)))
        if not blind:
            return
        if unblind:
            with database.transaction() as transaction:
                projects = [database_session.get_project(transaction, project.name) for project in blind]
                blindness.record_unblinding(
                    transaction, projects, by=f"{by} --unblind", now=database_session.get_time(transaction)
                )
            return
    named = ", ".join(project.name for project in blind[:NAMED_PROJECTS])
    more = f" and {len(blind) - NAMED_PROJECTS} more" if len(blind) > NAMED_PROJECTS else ""
    raise HromadaError(
        f"People still answer {named}{more}: a baseline shows no scores, votes or agreement before it is closed.",
        remedy=f"Close it first (hromada close {blind[0].name}), or add --unblind, which is put on record.",
    )


def _list_projects(view: Session, names: Sequence[str]) -> Iterator[Project]:
    """The projects of the names; all projects where none is named.

    A name that is not there is left to the command, which says what it looked for.
    """
    from annotation.errors import NotFound
    from annotation.store import queries
    from bot.commands import database_session

    if not names:
        yield from queries.list_projects(view)
    for written in names:
        with suppress(NotFound):
            yield from database_session.list_projects(view, written)


class Method(StrEnum):
    """How votes become one label; `aggregation.consensus.methods` says what each needs and refuses."""

    MAJORITY = "majority"
    GOLD_MAJORITY = "gold_majority"
    WAWA = "wawa"
    DAWID_SKENE = "dawid_skene"
    ONE_COIN_DAWID_SKENE = "one_coin_dawid_skene"
    GLAD = "glad"
    ONE_COIN = "one_coin"
    SKILLS = "skills"
    ROVER = "rover"
    CLOSEST = "closest"


class Ties(StrEnum):
    """What becomes of an item whose best answers tie."""

    FIRST = "first"
    ALPHABETICAL = "alphabetical"
    RANDOM = "random"
    SHARED = "shared"
    DROP = "drop"


class GoldTies(StrEnum):
    """The tie rules that leave one label or none, as a gold file needs."""

    FIRST = "first"
    ALPHABETICAL = "alphabetical"
    RANDOM = "random"
    DROP = "drop"


MethodOption = Annotated[
    Method, typer.Option(metavar="METHOD", help=f"How votes become one label: {', '.join(Method)}.")
]
ScoreTies = Annotated[
    Ties, typer.Option("--ties", help="How a tie is scored; `shared` counts 1/m for each of m tied answers.")
]
QuestionName = Annotated[
    str | None, typer.Option("--question", help="The question by its name; the first by default.", show_default=False)
]
Earlier = Annotated[
    bool, typer.Option("--earlier", help="Of the imported answers that were given elsewhere before, by themselves.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random; the same seed gives the same numbers.")]


def read_data_set(project: str, question: str | None = None, *, earlier: bool = False) -> DataSet:
    """The answers to one question of a project, or those given elsewhere before; raises HromadaError for none."""
    from bot import release
    from bot.commands import database_session

    with database_session.open_database() as database, database.reading() as view:
        loaded = database_session.get_project(view, project)
        data = release.build_data_set(view, loaded, question, earlier=earlier)
        has_none = data.list_counted_answers().empty
        before = release.build_data_set(view, loaded, question, earlier=True) if has_none else None
    if earlier and has_none:
        raise HromadaError(
            f"No earlier answers of {data.name} were imported.",
            remedy="Write `earlier: yes` under `votes`, load the file, and import them.",
        )
    if has_none:
        remedy = "Collect or import answers first."
        if before is not None and not before.list_counted_answers().empty:
            remedy += " The answers given elsewhere before: `agreement`, `aggregate` or `baseline` with --earlier."
        raise HromadaError("There are no votes that count.", remedy=remedy)
    return data


def describe_ties(ties: str) -> list[str]:
    """A note on how ties are scored under a rule."""
    rules = {
        "shared": "each of m tied answers counts 1/m",
        "first": "the tied answer that came first is taken",
        "alphabetical": "the first tied answer by alphabet is taken",
        "random": "one tied answer is drawn by the seed",
        "drop": "a tie is wrong",
    }
    return [f"Ties: {rules[ties]}. Ties wrong: the value if every tie counts as wrong."]


def format_title(data: DataSet, what: str) -> str:
    """The title of a table, with marks for simulated data and for classes that are positions."""
    stamp = "SIMULATED · " if data.simulated else ""
    mark = " · classes are positions" if data.classes_are_positions else ""
    return f"{stamp}{data.name} · {what}{mark}"


def describe_normalisation(data: DataSet) -> list[str]:
    """A note on how texts are compared; none where answers are no texts."""
    from exports.pages.display_text import NORMALISATION_NAMES

    rule = data.normalise
    return [] if rule is None else [f"Texts are compared by `{rule}`: {NORMALISATION_NAMES[rule]}."]


def name_items(items: Sequence[str]) -> str:
    """The number of items, and the first of them."""
    return f"{len(items)} ({', '.join(items[:NAMED_ITEMS])}{' …' if len(items) > NAMED_ITEMS else ''})"


def describe_reasons(reasons: Iterable[tuple[str, str]]) -> list[str]:
    """A note for each reason with the names that have it; no name has an empty one."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons:
        if reason:
            names.setdefault(reason, []).append(name)
    return [f"{', '.join(of_reason)}: {reason}" for reason, of_reason in names.items()]
