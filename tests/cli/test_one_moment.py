"""All that a command shows is of one moment of the database, is read once, and is computed where it is shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copytree, rmtree
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from _arrivals import Arrivals, prepare_arrivals
from _command import Hromada

from annotation.store import database
from bot.web import details, snapshots

if TYPE_CHECKING:
    from collections.abc import Callable

PROJECT = """\
project: {name}
title: t
language: en
instructions: Read.
kind: baseline
question: {{type: choice, text: Which?, options: [x, y]}}
items: {{file: items.csv, id: id, group: id, show: text, gold: gold}}
overlap: 40
votes: {{format: csv, item: item_id, annotator: annotator, answer: answer}}
"""
ITEMS, PEOPLE = "abcdefghijklmnop", 5
COMMANDS = (
    "baseline one", "baseline one two", "agreement one --resamples 100", "agreement one --by annotator --resamples 100",
    "agreement one --by pair", "aggregate one", "aggregate one --method dawid_skene",
    "compare one answers.jsonl --to out", "compare one two --to out", "sensitivity one --to out", "export --to out",
    "build one out --no-replay", "follow-up out.jsonl --from one", "plan one --to out", "plan one --pilot two",
    "release one out --draft --no-replay",
)  # fmt: skip
SLOW = frozenset(COMMANDS[-3:])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of two baselines with imported votes."""
    made = tmp_path_factory.mktemp("baselines")
    rows = [f"{item},text {item},{'xy'[number % 2]}\n" for number, item in enumerate(ITEMS)]
    (made / "items.csv").write_text("id,text,gold\n" + "".join(rows))
    votes = [
        f"{item},p{person},{'xy'[(number + (person + number) % 4 // 3) % 2]}\n"
        for number, item in enumerate(ITEMS)
        for person in range(PEOPLE)
    ]
    (made / "votes.csv").write_text("item_id,annotator,answer\n" + "".join(votes))
    (made / "answers.jsonl").write_text("".join(f'{{"item_id": "{item}", "answer": "x"}}\n' for item in ITEMS))
    for name in ("one", "two"):
        (made / f"{name}.yaml").write_text(PROJECT.format(name=name))
    return made


def load(hromada: Hromada) -> None:
    """Load both projects with their votes."""
    for name in ("one", "two"):
        loaded = hromada("load", f"{name}.yaml")
        assert loaded.code == 0, loaded.err
        assert hromada("import", name, "votes.csv").code == 0


@pytest.fixture(scope="module")
def loaded(folder: Path, migrated: Path) -> Path:
    """The same with an SQLite database, which no test may change."""
    (folder / "hromada.db").write_bytes(migrated.read_bytes())
    load(Hromada(folder))
    return folder


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Hromada, Arrivals]]:
    """Both projects in a database, and the answers that are to come."""
    if request.param == "sqlite":
        copytree(request.getfixturevalue("loaded"), tmp_path, dirs_exist_ok=True)
        hromada, url = Hromada(tmp_path), f"sqlite:///{tmp_path / 'hromada.db'}"
    else:
        copytree(request.getfixturevalue("folder"), tmp_path, dirs_exist_ok=True)
        url = request.getfixturevalue("postgresql_url")
        hromada = Hromada(tmp_path, variables={"HROMADA_DATABASE_URL": url})
        load(hromada)
    with prepare_arrivals(url) as arrivals:
        yield hromada, arrivals


def run(hromada: Hromada, words: str) -> tuple[str, dict[str, bytes]]:
    """What a command prints, and the files that it writes."""
    out = hromada.folder / "out"
    rmtree(out, ignore_errors=True)
    (hromada.folder / "out.jsonl").unlink(missing_ok=True)
    ran = hromada(*words.split(), "--json")
    assert ran.code == 0, ran.out + ran.err
    files = [path for path in hromada.folder.rglob("out*/**/*") if path.is_file()]
    return ran.out, {str(path): path.read_bytes() for path in (*files, *hromada.folder.glob("out.jsonl"))}


@pytest.mark.parametrize(
    ("place", "words"),
    [(name, words) for words in COMMANDS for name in ("sqlite", "postgresql")],
    indirect=["place"],
)
@pytest.mark.slow
def test_answers_that_arrive_between_statements_are_in_all_of_the_output_or_in_none(
    place: tuple[Hromada, Arrivals], words: str
) -> None:
    """The output is that of the moment at which the one view was opened."""
    hromada, arrivals = place
    with arrivals.after_each_statement():
        shown = run(hromada, words)
    (moment,) = arrivals.views
    assert arrivals.arrived > moment, "answers went on to arrive"
    arrivals.undo_after(moment)
    assert shown == run(hromada, words)


def read_dashboard(url: str) -> tuple[Any, Any]:
    """The numbers of a project's page: the quick ones and the slow ones, but for when they were read."""
    with database.open_database(url) as opened:
        state = snapshots.SnapshotReader(database=opened).read_snapshot().find_project("one")
    assert state is not None
    found = details.measure_details(url, "one", unblind=False, answer_seconds=600)
    return state, replace(found, at=state.end or found.at.min, seconds=0.0)


def test_each_part_of_the_dashboard_is_of_one_moment(place: tuple[Hromada, Arrivals]) -> None:
    _, arrivals = place
    url = arrivals.engine.url.render_as_string(hide_password=False)
    with arrivals.after_each_statement():
        state, found = read_dashboard(url)
    _, of_state, _, of_details = arrivals.moments
    arrivals.undo_after(of_details)
    assert found == read_dashboard(url)[1]
    arrivals.undo_after(of_state)
    assert state == read_dashboard(url)[0]


TEXTS, HOURS = re.compile(r"\bitem\.(stimulus|data)\b"), re.compile(r"\btime_zone\b")


@pytest.fixture
def quiet(loaded: Path, tmp_path: Path) -> Iterator[tuple[Hromada, list[tuple[str, str]]]]:
    """Both projects on SQLite, and the statements that a command runs."""
    copytree(loaded, tmp_path, dirs_exist_ok=True)
    statements: list[tuple[str, str]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: Any) -> None:
        statements.append((statement, repr(parameters)))

    sa.event.listen(sa.Engine, "after_cursor_execute", note)
    yield Hromada(tmp_path), statements
    sa.event.remove(sa.Engine, "after_cursor_execute", note)


@pytest.mark.parametrize(
    "words", [pytest.param(words, marks=[pytest.mark.slow] if words in SLOW else []) for words in COMMANDS]
)
def test_nothing_is_read_twice(quiet: tuple[Hromada, list[tuple[str, str]]], words: str) -> None:
    """But for the projects themselves, which are asked for by name, and are one row each."""
    hromada, statements = quiet
    run(hromada, words)
    again = [one for (one, _), number in Counter(statements).items() if number > 1 and "FROM judgement" in one]
    assert not again


@pytest.mark.parametrize("words", ["aggregate one", "agreement one --resamples 100", "sensitivity one"])
def test_hours_and_texts_are_not_read_where_they_are_not_shown(
    quiet: tuple[Hromada, list[tuple[str, str]]], words: str
) -> None:
    hromada, statements = quiet
    run(hromada, words)
    assert not [one for one, _ in statements if TEXTS.search(one) or HOURS.search(one)]
    statements.clear()
    run(hromada, "baseline one")
    assert [len([one for one, _ in statements if kind.search(one)]) for kind in (TEXTS, HOURS)] == [1, 1]


def test_only_what_is_shown_is_computed(
    quiet: tuple[Hromada, list[tuple[str, str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from exports import results

    hromada, _ = quiet
    computed: Counter[str] = Counter()

    def count(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*words: Any, **options: Any) -> Any:
            computed[name] += 1
            return compute(*words, **options)

        return counted

    for name in ("build_consensus", "compute_agreement", "score_answers", "measure_people", "estimate_mean_posterior"):
        monkeypatch.setattr(results, name, count(name, getattr(results, name)))
    for words, expected in {
        "aggregate one": {"build_consensus": 1},
        "agreement one --resamples 100": {"compute_agreement": 1, "build_consensus": 1, "estimate_mean_posterior": 1},
        "baseline one": {"score_answers": 1, "measure_people": 1},
    }.items():
        computed.clear()
        run(hromada, words)
        assert computed == expected, words
