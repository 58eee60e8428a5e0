"""`hromada votes`: labels and agreement of files of votes, without a project, on an engine that outgrows memory."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import BadInput, Where
from bot.commands import data_sets, terminal_output
from bot.commands.command_line import AsJson, CommandGroup

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pandas as pd

    from aggregation.relations.em import Model, RelationFit
    from aggregation.relations.vote_relation import Step, VoteRelation
    from bot.commands.terminal_output import Cell


class Engine(StrEnum):
    """What computes."""

    DUCKDB = "duckdb"
    SPARK = "spark"


class RelationTies(StrEnum):
    """The label of an item whose best labels tie."""

    SHARED = "shared"
    ALPHABETICAL = "alphabetical"


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="Label files of votes of any size, without a project.",
)
Files = Annotated[
    list[Path],
    typer.Argument(help="Parquet, CSV or Arrow files of votes, or folders of them; a vote a row.", show_default=False),
]
Out = Annotated[Path | None, typer.Option(help="The folder for Parquet files of results; without it none are written.")]
Chosen = Annotated[
    list[str] | None,
    typer.Option("--as", metavar="ROLE=COLUMN", help="What a column holds: item, annotator or answer."),
]
EngineName = Annotated[Engine, typer.Option(help="DuckDB on this machine, or Spark on a cluster.")]
Master = Annotated[str, typer.Option(help="With --engine spark: the cluster's address, or local[CORES].")]
Memory = Annotated[str, typer.Option(help="The memory that the engine takes; the rest goes to files.")]
TieRule = Annotated[RelationTies, typer.Option(help="Leave ties open, or take the first label in alphabetical order.")]
Iterations = Annotated[int | None, typer.Option(min=1, help="The most iterations.", show_default=False)]
MOST_SHOWN = 30
"""So many annotators are printed at most; all of them are written."""


@dataclass(frozen=True, kw_only=True)
class _Source:
    """Where votes are and what computes with them."""

    files: Sequence[Path]
    chosen: Sequence[str] | None
    engine: Engine
    master: str
    memory: str
    out: Path | None
    quiet: bool


@app.command()
def majority(
    files: Files,
    out: Out = None,
    as_: Chosen = None,
    ties: TieRule = RelationTies.SHARED,
    engine: EngineName = Engine.DUCKDB,
    master: Master = "local[*]",
    memory: Memory = "3GB",
    json: AsJson = False,
) -> None:
    """Take the most frequent answer of each item.

    Writes labels.parquet: item_id, label, confidence (its share of the votes), tie, tied, n_votes, and one column a
    label.
    """
    source = _Source(files=files, chosen=as_, engine=engine, master=master, memory=memory, out=out, quiet=json)
    with _open_votes(source) as (votes, tell):
        from aggregation.relations import em

        shares = em.compute_shares(votes).cache()
        try:
            rows = _write_labels(source, votes, shares, ties=ties, tell=tell)
        finally:
            shares.release()
    _print("majority", rows, json=json)


@app.command("dawid-skene")
def dawid_skene(
    files: Files,
    out: Out = None,
    as_: Chosen = None,
    ties: TieRule = RelationTies.SHARED,
    stop: Annotated[
        data_sets.Stop,
        typer.Option(help="crowdkit: once its bound gains under 1e-5 a vote; converged: once nothing moves."),
    ] = data_sets.Stop.CROWDKIT,
    iterations: Iterations = None,
    engine: EngineName = Engine.DUCKDB,
    master: Master = "local[*]",
    memory: Memory = "3GB",
    json: AsJson = False,
) -> None:
    """Estimate labels and every annotator's errors, as Dawid and Skene (1979).

    Writes labels.parquet (as majority; confidence and columns are posteriors) and confusion.parquet: annotator,
    label (the right one), answer, probability. With --out, the same command goes on after an interruption.
    """
    source = _Source(files=files, chosen=as_, engine=engine, master=master, memory=memory, out=out, quiet=json)
    with _fit(source, "dawid_skene", stop=stop, iterations=iterations) as (votes, fit, tell):
        rows = _write_labels(source, votes, fit.posteriors, ties=ties, tell=tell)
        if out is not None:
            _write_frame(_list_confusion(votes, fit), out / "confusion.parquet")
        priors = zip(votes.labels, fit.estimates.priors.tolist(), strict=True)
        _print(
            "dawid_skene",
            [*rows, *_describe_end(fit), *((f"class {name}", share) for name, share in priors)],
            json=json,
        )


@app.command("one-coin")
def one_coin(
    files: Files,
    out: Out = None,
    as_: Chosen = None,
    ties: TieRule = RelationTies.SHARED,
    iterations: Iterations = None,
    engine: EngineName = Engine.DUCKDB,
    master: Master = "local[*]",
    memory: Memory = "3GB",
    json: AsJson = False,
) -> None:
    """Estimate labels and one skill per annotator.

    Writes labels.parquet (as majority; confidence and columns are posteriors) and annotators.parquet: annotator, skill.
    With --out, the same command goes on after an interruption.
    """
    import pandas as pd

    source = _Source(files=files, chosen=as_, engine=engine, master=master, memory=memory, out=out, quiet=json)
    with _fit(source, "one_coin", stop=data_sets.Stop.CONVERGED, iterations=iterations) as (votes, fit, tell):
        rows = _write_labels(source, votes, fit.posteriors, ties=ties, tell=tell)
        if out is not None:
            skills = pd.DataFrame({"annotator": votes.annotators, "skill": fit.estimates.skills})
            _write_frame(skills, out / "annotators.parquet")
        _print("one_coin", [*rows, *_describe_end(fit)], json=json)


@app.command()
def agreement(
    files: Files,
    out: Out = None,
    as_: Chosen = None,
    order: Annotated[
        str | None, typer.Option(help="The labels from the lowest, by commas: adds ordinal alpha.", show_default=False)
    ] = None,
    engine: EngineName = Engine.DUCKDB,
    master: Master = "local[*]",
    memory: Memory = "3GB",
    json: AsJson = False,
) -> None:
    """Measure percent agreement, Krippendorff's alpha and AC1.

    With both intervals, in which each item is a group of its own. Writes agreement.parquet: the keys of
    `hromada agreement --json`, a row a coefficient.
    """
    import pandas as pd

    source = _Source(files=files, chosen=as_, engine=engine, master=master, memory=memory, out=out, quiet=json)
    with _open_votes(source) as (votes, tell):
        from aggregation.relations.agreement import measure_agreement

        ordered = None if order is None else [label.strip() for label in order.split(",")]
        rows = measure_agreement(votes, ordered=ordered, tell=tell).rows
    if out is not None:
        _write_frame(pd.DataFrame([asdict(row) for row in rows]), out / "agreement.parquet")
    if json:
        terminal_output.print_json({"coefficients": [asdict(row) for row in rows]})
        return
    shown = [
        (
            row.name, row.level, row.value, terminal_output.format_interval(row.low, row.high),
            terminal_output.format_interval(row.new_people_low, row.new_people_high), row.n_items, row.n_votes,
        )
        for row in rows
    ]  # fmt: skip
    reasons = {f"{row.name}: {why}" for row in rows for why in row.explanations}
    columns = ("coefficient", "level", "value", "95 %, these people", "95 %, new people", "items", "votes")
    terminal_output.print_table("Agreement of all votes", columns, shown, notes=sorted(reasons))


@app.command()
def annotators(
    files: Files,
    out: Out = None,
    as_: Chosen = None,
    engine: EngineName = Engine.DUCKDB,
    master: Master = "local[*]",
    memory: Memory = "3GB",
    json: AsJson = False,
) -> None:
    """Show how often each annotator says what most others say.

    Writes annotators.parquet: annotator, n_votes, n_with_others (votes on items that others answered too) and
    agreement_with_others (the share that equals the others' most frequent answer; of t that tie, 1/t).
    """
    source = _Source(files=files, chosen=as_, engine=engine, master=master, memory=memory, out=out, quiet=json)
    with _open_votes(source) as (votes, tell):
        from aggregation.relations.agreement import compute_agreement_with_others

        tell("votes of the others")
        found = compute_agreement_with_others(votes)
    named = {"n": "n_with_others", "majority": "agreement_with_others"}
    table = found.rename(columns=named).reset_index()
    if out is not None:
        _write_frame(table, out / "annotators.parquet")
    shown = table.sort_values(["agreement_with_others", "annotator"], kind="stable").to_dict("records")
    cells = [{str(name): None if value != value else value for name, value in row.items()} for row in shown]  # noqa: PLR0124
    if json:
        terminal_output.print_json(cells)
        return
    notes = ["The others' most frequent answer is not gold: somebody who is right against most has a low share."]
    if len(shown) > MOST_SHOWN:
        notes.append(f"{len(shown) - MOST_SHOWN} more annotators are in annotators.parquet, which --out writes.")
    rows = [tuple(row.values()) for row in cells[:MOST_SHOWN]]
    terminal_output.print_table("Annotators, lowest agreement first", tuple(table.columns), rows, notes=notes)


@contextmanager
def _open_votes(source: _Source) -> Iterator[tuple[VoteRelation, Step]]:
    """The votes of the files on their engine, and what tells the progress."""
    from bot.commands.new_from_files import parse_chosen
    from bot.commands.votes import vote_files

    files, kind = vote_files.find_files(source.files)
    chosen = parse_chosen(source.chosen or ())
    _require_engine(source.engine)
    from aggregation.relations import engines
    from aggregation.relations.vote_relation import EmptyCell, code_votes

    folder = Path.cwd() if source.out is None else source.out
    opened = (
        engines.open_spark(master=source.master, memory=source.memory)
        if source.engine is Engine.SPARK
        else engines.open_duckdb(memory=source.memory, folder=folder)
    )
    tell = _make_step(quiet=source.quiet)
    with _make_folder(source.out), opened as engine:
        table = engines.read_files(engine, files, kind)
        columns = vote_files.choose_columns([str(name) for name in table.columns], chosen, file=files[0])
        votes = table.select(**{role: table[name] for role, name in columns.items()})
        try:
            with code_votes(votes, tell=tell) as coded:
                yield coded, tell
        except EmptyCell as failure:
            where = vote_files.find_empty_cell(files, role=failure.column, column=columns[failure.column])
            raise BadInput(failure.problem, where=where, remedy=failure.remedy) from failure


@contextmanager
def _make_folder(out: Path | None) -> Iterator[None]:
    """The folder of results is there; after an error it goes again if it is empty and was not there before."""
    if out is None or out.exists():
        yield
        return
    out.mkdir(parents=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):  # it has files
            out.rmdir()
        raise


def _require_engine(engine: Engine) -> None:
    """Raise BadInput where the extra of an engine is not installed."""
    from importlib.util import find_spec

    needed = (
        {"ibis": "duckdb", "duckdb": "duckdb"} if engine is Engine.DUCKDB else {"ibis": "spark", "pyspark": "spark"}
    )
    for module, extra in needed.items():
        if find_spec(module) is None:
            raise BadInput(
                f"{engine.value} is not installed.",
                where=Where(field="--engine"),
                remedy=f"Install it: pip install 'hromada[{extra}]'.",
            )


def _make_step(*, quiet: bool) -> Step:
    """What writes each step with the seconds since the start to the error stream, where a person looks at it."""
    began, is_shown = time.monotonic(), not quiet and sys.stderr.isatty()

    def tell(step: str) -> None:
        if is_shown:
            print(f"{time.monotonic() - began:7.1f} s  {step}", file=sys.stderr, flush=True)

    return tell


@contextmanager
def _fit(
    source: _Source, model: Model, *, stop: data_sets.Stop, iterations: int | None
) -> Iterator[tuple[VoteRelation, RelationFit, Step]]:
    """The fit of a model, which begins where a run of the same command was interrupted."""
    from bot.commands.votes import checkpoint, vote_files

    with _open_votes(source) as (votes, tell):
        from aggregation.relations import em

        begin, keep, out = None, None, source.out
        if out is not None:
            facts = {"model": model, "stop": stop.value, "as": sorted(source.chosen or ()), "pairs": len(votes.label)}
            files, _ = vote_files.find_files(source.files)
            identity = checkpoint.identify_votes(files, facts)
            begin = checkpoint.read_estimates(out, identity=identity)

            def keep(estimates: em.Estimates) -> None:
                checkpoint.keep_estimates(out, estimates, identity=identity)

        if begin is not None:
            tell(f"goes on from iteration {begin.iterations + 1}")
        fitted = em.fit_votes(
            votes, model=model, stop=stop.value, iterations=iterations, begin=begin, keep=keep, tell=tell
        )
        with fitted as fit:
            yield votes, fit, tell
    if source.out is not None:
        checkpoint.forget_estimates(source.out)


def _write_labels(
    source: _Source, votes: VoteRelation, posteriors: ir.Table, *, ties: RelationTies, tell: Step
) -> list[tuple[str, Cell]]:
    """Write labels.parquet where there is a folder, and count: the rows of the table that is printed."""
    from aggregation.relations.labels import choose_labels

    labels = choose_labels(votes, posteriors, ties=ties.value)
    if source.out is not None:
        tell("labels.parquet")
        _write(labels, source.out / "labels.parquet")
    facts = labels.agg(ties=labels["tie"].cast("int64").sum(), confidence=labels["confidence"].mean()).execute().iloc[0]
    return [
        ("items", votes.n_items),
        ("votes", votes.n_votes),
        ("annotators", len(votes.annotators)),
        ("labels", len(votes.labels)),
        (f"ties (rule: {ties.value})", int(facts["ties"])),
        ("mean confidence", float(facts["confidence"])),
    ]


def _write(table: ir.Table, path: Path) -> None:
    """Write a relation as Parquet, whole or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    for old in (partial, path):
        if old.is_dir():  # Spark writes a folder of files, one by each worker
            shutil.rmtree(old)
    table.to_parquet(str(partial))
    partial.replace(path)


def _write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame as Parquet, whole or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    frame.to_parquet(partial, index=False)
    partial.replace(path)


def _list_confusion(votes: VoteRelation, fit: RelationFit) -> pd.DataFrame:
    """The errors of each annotator: annotator, label, answer and probability, of answers that they gave anywhere."""
    import pandas as pd

    n_labels = len(votes.labels)
    names = pd.array(votes.labels, dtype=object)
    return pd.DataFrame(
        {
            "annotator": votes.annotators[votes.annotator].repeat(n_labels),
            "label": [*names] * len(votes.annotator),
            "answer": names[votes.label].repeat(n_labels),
            "probability": fit.estimates.errors.ravel(),
        }
    )


def _describe_end(fit: RelationFit) -> list[tuple[str, Cell]]:
    """How the estimation ended."""
    return [("iterations", fit.estimates.iterations), ("converged", "yes" if fit.estimates.converged else "no")]


def _print(method: str, rows: Sequence[tuple[str, Cell]], *, json: bool) -> None:
    if json:
        facts = {name.partition(" (")[0].replace(" ", "_"): value for name, value in rows}
        terminal_output.print_json({"method": method, **facts})
        return
    terminal_output.print_table(f"Labels by {method}", ("what", "value"), rows)
