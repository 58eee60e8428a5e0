"""`hromada demo`: its files come from what was answered."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sysconfig
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.errors import BadInput, Conflict
from annotation.store import database, queries
from annotation.workflow.monitoring import conduct
from bot.demo import demo_run
from bot.demo.demo_run import CATEGORIES, RELATED_CATEGORIES, SCRIPTED_ANNOTATORS

ROOT = Path(__file__).parents[2]
FILES = {
    "human_responses.csv",
    "gold.csv",
    "human_items.csv",
    "label_distributions.jsonl",
    "class_scores.csv",
    "confusion_matrix.csv",
    "order_effects.csv",
    "trivial_baselines.csv",
    "annotators.csv",
    "agreement.json",
    "baselines.csv",
    "human_baseline.csv",
    "report.html",
    "report.uk.html",
}


def rows(file: Path) -> list[dict[str, str]]:
    """A CSV file as dictionaries."""
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished demo."""
    folder = tmp_path_factory.mktemp("demo") / "first"
    demo_run.run_demo(folder)
    return folder


def test_the_demo_writes_every_file_and_stamps_it(demo: Path) -> None:
    """All files are there, and SIMULATED stands in each of them, in every row of the tables."""
    assert {path.name for path in demo.iterdir()} >= FILES
    for name in FILES:
        assert "SIMULATED" in (demo / name).read_text("utf-8")
    for name in ("human_responses.csv", "gold.csv", "annotators.csv", "baselines.csv"):
        assert all(row["dataset"].startswith("SIMULATED-") for row in rows(demo / name))
    assert all(row["annotator"].startswith("SIMULATED-") for row in rows(demo / "annotators.csv"))


def test_items_with_equal_numbers_expose_nobody_to_another_project(demo: Path) -> None:
    """The projects number their items from 01, and have nothing else in common."""
    with database.open_database(f"sqlite:///{demo / 'hromada.db'}") as db, db.reading() as view:
        loaded = queries.list_projects(view)
        assert len(loaded) == 3
        for project in loaded:
            measured = conduct.measure_conduct(view, project, scopes=(), exceptions=())
            assert (measured.unlisted_exposed, len(measured.contributors)) == (0, len(SCRIPTED_ANNOTATORS))


@pytest.mark.slow
@pytest.mark.process
def test_two_demos_are_the_same_to_the_byte(demo: Path, tmp_path: Path) -> None:
    """Same cast, same seed, same files; the second is made by `make demo`, as the README has it."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    words = ["make", "--old-file=.venv/installed", f"BIN={sysconfig.get_path('scripts')}", "demo"]
    env = {"PATH": os.environ["PATH"]}
    ran = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    for name in FILES:
        assert (tmp_path / "demo" / name).read_bytes() == (demo / name).read_bytes(), name


@pytest.mark.slow
def test_one_changed_answer_changes_its_row_and_the_score(demo: Path, tmp_path: Path) -> None:
    """When the best annotator gets one item wrong, exactly that response changes, and one more answer is wrong."""
    before = rows(demo / "human_responses.csv")
    project = demo_run.build_projects(seed=demo_run.SEED)[0]
    first = SCRIPTED_ANNOTATORS[0]
    responses = [row for row in before if row["dataset"] == project.name]
    best = Counter(row["annotator"] for row in responses if _right(row, project)).most_common(1)[0][0]
    row = next(row for row in responses if row["annotator"] == best)
    item = project.items[int(row["item_id"]) - 1]
    wrong = next(option for option in item.options if option != item.gold)
    cast = [replace(first, overrides={item.shown: wrong}), *SCRIPTED_ANNOTATORS[1:]]
    demo_run.run_demo(tmp_path / "changed", annotators=cast)
    after = rows(tmp_path / "changed" / "human_responses.csv")
    different = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [(old["item_id"], old["annotator"], old["response"], new["response"]) for old, new in different] == [
        (row["item_id"], best, item.gold, wrong)
    ]
    wrongs = [
        next(int(unit["wrong"]) for unit in rows(folder / "baselines.csv") if unit["dataset"] == project.name)
        for folder in (demo, tmp_path / "changed")
    ]
    assert wrongs[1] == wrongs[0] + 1


def _right(row: dict[str, str], project: demo_run.DemoProject) -> bool:
    return row["response"] == project.items[int(row["item_id"]) - 1].gold


def test_the_items_of_the_demo_are_sound() -> None:
    """Sixty items, gold among the options, at every place equally often, nothing repeated, no word in two groups."""
    made = demo_run.build_projects(seed=demo_run.SEED)
    assert [len(project.items) for project in made] == [20, 20, 20]
    for project in made:
        assert len({item.shown for item in project.items}) == 20
        options = [item.options or project.fixed for item in project.items]
        places = Counter(found.index(item.gold) for found, item in zip(options, project.items, strict=True))
        assert len(set(places.values())) == 1
        assert all(len(set(found)) == len(found) for found in options)
    longer = made[0].items
    assert all(len(item.gold) > min(len(option) for option in item.options) for item in longer)
    words = [word for group in CATEGORIES.values() for word in group]
    assert len(set(words)) == len(words)
    assert not any("'" in word or "’" in word for word in words)


def test_no_word_out_of_place_belongs_after_all() -> None:
    """The odd word never comes from a group akin to the others': a pear among trees would be no odd one out."""
    group_of = {word: name for name, group in CATEGORIES.items() for word in group}
    made = demo_run.build_projects(seed=demo_run.SEED)
    shown = [item.options for item in made[1].items]
    shown += [tuple(item.shown.split(": ")[1].split(", ")) for item in made[2].items]
    for words in shown:
        groups = {group_of[word] for word in words}
        assert all(len(groups & kin) < 2 for kin in RELATED_CATEGORIES)


@pytest.mark.parametrize("names", [("hromada.db", "hromada.key"), ("gold.csv", "report.html"), ("hromada.db",)])
def test_a_folder_where_people_work_is_never_taken_for_a_demo(tmp_path: Path, names: tuple[str, ...]) -> None:
    """A real database, key or release has the same names as the demo's; it is refused and left as it is."""
    for name in names:
        (tmp_path / name).write_text("real")
    with pytest.raises(Conflict, match="not of an earlier demo"):
        demo_run.run_demo(tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(names, "real")


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    """The demo clears only its own earlier folder."""
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(Conflict, match=r"thesis\.txt"):
        demo_run.run_demo(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


@pytest.mark.slow
def test_an_earlier_demo_is_replaced_but_nothing_that_was_put_beside_it(demo: Path) -> None:
    """A second run in the same folder makes the same files to the byte, until somebody keeps their notes there."""
    before = {name: (demo / name).read_bytes() for name in FILES}
    demo_run.run_demo(demo)
    assert {name: (demo / name).read_bytes() for name in FILES} == before
    (demo / "mynotes.txt").write_text("mine")
    with pytest.raises(Conflict, match=r"mynotes\.txt"):
        demo_run.run_demo(demo)
    assert (demo / "mynotes.txt").read_text() == "mine"
    assert (demo / "gold.csv").exists()
    (demo / "mynotes.txt").unlink()


@pytest.mark.slow
def test_the_demo_writes_only_into_its_folder_whatever_its_name(tmp_path: Path) -> None:
    """Signs that mean something in an address are only signs in a folder's name."""
    name = "мій x?y a%20b#c"
    demo_run.run_demo(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name / "hromada.db").exists()


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    """A file in the way of the folder."""
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "x"):
        with pytest.raises(BadInput):
            demo_run.run_demo(place)
