"""What the commands that compute share: their options, and the data set they speak of."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from aggregation.errors import HromadaError

if TYPE_CHECKING:
    from exports.inputs import DataSet


class Method(StrEnum):
    """How votes become one label; `aggregation.consensus` says what each needs and refuses."""

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


ProjectName = Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)]
MethodOption = Annotated[Method, typer.Option(help="How votes become one label.")]
QuestionName = Annotated[
    str | None, typer.Option("--question", help="The question by its name; the first by default.", show_default=False)
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random; the same seed gives the same numbers.")]


def data_set(project: str, question: str | None = None) -> DataSet:
    """The answers to one question of a project; raises HromadaError where none count."""
    from annotation.store import queries
    from bot import release
    from bot.commands import session

    with session.opened() as database, database.reading() as view:
        data = release.data_set(view, queries.project(view, session.project_name(project)), question)
    if data.retained().empty:
        raise HromadaError("There are no votes that count.", remedy="Collect or import answers first.")
    return data


def title(data: DataSet, what: str) -> str:
    stamp = "SIMULATED · " if data.simulated else ""
    mark = " · classes are positions" if data.positions else ""
    return f"{stamp}{data.name} · {what}{mark}"
