"""What commands show results of, read at one moment; and their options and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from aggregation.errors import HromadaError
from annotation.errors import NotFound

if TYPE_CHECKING:
    from sqlmodel import Session

    from annotation.store.database import Database
    from annotation.store.models import Project
    from bot.release import ProjectInputs
    from exports.inputs import DataSet

    Names = Sequence[str] | Callable[[Session], Sequence[str]]

NAMED_PROJECTS = 3  # of those that are blind
NAMED_ITEMS = 5  # of those that a note names
PANELS = "Intervals of the difference, 95 %: for new people and new items, and for these people and new items."
Unblind = Annotated[
    bool,
    typer.Option(
        "--unblind", help="Show results of an open baseline. This is recorded in the journal and the release."
    ),
]


@contextmanager
def open_view(names: Names | None, *, by: str, unblind: bool) -> Iterator[Session]:
    """One moment of the database, from which a command takes all that it shows.

    `names` are the projects and programmes whose results are shown, by name or file (all projects where it is empty,
    none where it is None), or a function that finds them; `by` is the command. Raises HromadaError where one of them is
    blind; with `unblind` it is put on record first that they are shown.
    """
    from bot.commands import database_session

    with database_session.open_database() as database:
        if unblind and names is not None:
            record_unblinding(database, names, by=by)
        with database.reading() as view:
            if not unblind and names is not None:
                refuse_blind(view, names)
            yield view


def refuse_blind(view: Session, names: Names) -> None:
    """Raise HromadaError where results of a blind project would be shown; `names` are those of `open_view`."""
    blind = _list_blind_projects(view, names)
    if not blind:
        return
    named = ", ".join(project.name for project in blind[:NAMED_PROJECTS])
    more = f" and {len(blind) - NAMED_PROJECTS} more" if len(blind) > NAMED_PROJECTS else ""
    raise HromadaError(
        f"People still answer {named}{more}: a baseline shows no scores, votes or agreement before it is closed.",
        remedy=f"Close it first (hromada close {blind[0].name}), or add --unblind, which is put on record.",
    )


def record_unblinding(database: Database, names: Names, *, by: str) -> None:
    """Put on record that a command shows results of blind projects; `names` are those of `open_view`."""
    from annotation.workflow.monitoring import blindness
    from bot.commands import database_session

    with database.transaction() as transaction:
        blind = _list_blind_projects(transaction, names)
        now = database_session.get_time(transaction)
        blindness.record_unblinding(transaction, blind, by=f"{by} --unblind", now=now)


def _list_blind_projects(session: Session, names: Names) -> list[Project]:
    """The blind ones of the named projects; a name that is not there is left to the command, which says so."""
    from annotation.store import queries
    from annotation.workflow.monitoring import blindness
    from bot.commands import database_session

    written = names(session) if callable(names) else names
    projects = [] if written else list(queries.list_projects(session))
    for name in written:
        with suppress(NotFound):
            projects += database_session.list_projects(session, name)
    return blindness.list_blind_projects(session, projects)


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
    MEAN = "mean"
    MEDIAN = "median"
    BRADLEY_TERRY = "bradley_terry"
    DAVIDSON = "davidson"


class Stop(StrEnum):
    """When Dawid-Skene's estimation ends."""

    CROWDKIT = "crowdkit"
    CONVERGED = "converged"


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
Earlier = Annotated[bool, typer.Option("--earlier", help="Use only imported answers given before this campaign.")]
Anchors = Annotated[
    bool, typer.Option("--anchors", help="Use declared gold as known labels (dawid_skene, gold_majority).")
]
Seed = Annotated[int, typer.Option(min=0, help="Random seed. The same seed gives the same numbers.")]


def read_project(view: Session, written: str) -> ProjectInputs:
    """The project of this name or file as the view shows it; raises NotFound for one that is not loaded."""
    from bot import release
    from bot.commands import database_session

    return release.ProjectInputs(view=view, project=database_session.get_project(view, written))


def read_votes(project: ProjectInputs, question: str | None = None, *, earlier: bool = False) -> DataSet:
    """The answers to one question, or those given elsewhere before; raises HromadaError where none counts."""
    data = project.read_data_set(question, earlier=earlier)
    if not data.list_counted_answers().empty:
        return data
    if earlier:
        raise HromadaError(
            f"No earlier answers of {data.name} were imported.",
            remedy="Write `earlier: yes` under `votes`, load the file, and import them.",
        )
    remedy = "Collect or import answers first."
    if not project.read_data_set(question, earlier=True).list_counted_answers().empty:
        remedy += " The answers given elsewhere before: `agreement`, `aggregate` or `baseline` with --earlier."
    raise HromadaError("There are no votes that count.", remedy=remedy)


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
    """The title of a table, with marks for simulated data and for classes that are positions, or columns."""
    stamp = "SIMULATED · " if data.simulated else ""
    places = "columns" if data.answer_type.compares_texts else "positions"
    mark = f" · classes are {places}" if data.classes_are_positions else ""
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
