"""Bad input: a sentence with file, line, field and remedy, exit code 2, nothing changed."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: words
title: "Яке слово довше?"
language: uk
instructions: Порахуйте літери.
question:
  type: choice
  text: "Яке слово довше?"
items:
  file: items.csv
  id: id
  show: [hint]
  options: [first, second]
  gold: gold
overlap: 3
"""
ITEMS = "id,hint,first,second,gold\n1,тварини,кіт,собака,собака\n2,дерева,дуб,береза,береза\n"
VOTES_PROJECT = """\
project: crowd
title: Crowd
language: en
question: {type: choice, text: "Which?", options: [a, b]}
items: from votes
votes: {format: crowd-kit, file: votes.csv}
"""
VOTES = "task,worker,label\n1,ann,a\n1,bob,b\n"


def stored(folder: Path) -> dict[str, int]:
    """How many rows each table holds; empty where there is no database."""
    file = folder / "hromada.db"
    if not file.exists():
        return {}
    with sqlite3.connect(file) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        counts = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
    connection.close()
    return counts


@pytest.fixture
def words(hromada: Hromada) -> Hromada:
    """A folder with a project that loads."""
    hromada.write("project.yaml", PROJECT)
    hromada.write("items.csv", ITEMS)
    return hromada


def assert_refused(hromada: Hromada, *arguments: str | Path, says: tuple[str, ...]) -> None:
    """The command ends with 2, says all this on the error stream, and changes nothing."""
    before = stored(hromada.folder)
    ran = hromada(*arguments)
    assert ran.code == 2, (ran.out, ran.err)
    for part in says:
        assert part in ran.err
    assert "Traceback" not in ran.err
    after = stored(hromada.folder)
    assert {name: number for name, number in after.items() if number and name != "alembic_version"} == {
        name: number for name, number in before.items() if number and name != "alembic_version"
    }


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("title:", "titel:", ("project.yaml:2:1, titel", "not known", "Did you mean `title`?")),
        ('title: "Яке слово довше?"\n', "", ("project.yaml:1:1, title", "missing", "Add `title: …`")),
        ("overlap: 3", "overlap: three", ("project.yaml:14:1, overlap", "not a whole number")),
        ("overlap: 3", "overlap: 0", ("project.yaml:14:1, overlap", "too small. Write 1 or more")),
        ("overlap: 3\n", "", ("project.yaml", "Add `overlap: 3`")),
        ("overlap: 3", "overlap: 3\noverlap: 5", ("project.yaml:15:1, overlap", "Duplicate key, first on line 14")),
        ("project: words", "project: мої слова", ("project.yaml:1:1, project", "Latin letters")),
        ("project: words", "project: my.yaml", ("project.yaml:1:1, project", "taken for a file")),
        ("overlap: 3", "overlap: 3\nitems: {id: id}", ("project.yaml:15:1, items", "Move all of its settings")),
        ("language: uk", "language: uk-UA", ("project.yaml:3:1, language", "not a language code")),
        ("  type: choice", "  type: quiz", ("project.yaml:6:3, question.type", "'choice'")),
        ("  type: choice", "  type: &a choice", ("project.yaml:6:9", "Anchors and aliases")),
        ("  type: choice", "  type: !!python/name:os.system choice", ("project.yaml:6:9", "Tags (!)")),
        ("  type: choice", "  type: choice\n    options: [x", ("project.yaml", "The line is indented below a key")),
        ("  options: [first, second]\n", "", ("project.yaml", "There are no options")),
        ("[first, second]", "[first, secnod]", ("items.csv:1", "no column 'secnod'", "id, hint, first")),
        ("  file: items.csv", "  file: missing.csv", ("project.yaml:9:3, items.file: There is no file",)),
        ("  file: items.csv", "  file: project.yaml", ("project.yaml: ", ".csv, .tsv, .xlsx, .jsonl")),
        ("  file: items.csv", "  file: .", ("read from .csv",)),
    ],
)  # fmt: skip
def test_a_mistake_in_the_project_file_is_named_with_its_place(
    words: Hromada, old: str, new: str, says: tuple[str, ...]
) -> None:
    """Unknown and missing keys, wrong values, duplicate keys, YAML that is none: file, line, column, key, remedy."""
    assert old in PROJECT
    words.write("project.yaml", PROJECT.replace(old, new))
    assert_refused(words, "check", "project.yaml", says=says)
    assert_refused(words, "load", "project.yaml", says=says)


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ("", ("items.csv", "The file is empty")),
        ("id,hint,first,second,gold\n", ("items.csv", "a header but no items")),
        (ITEMS + "1,риби,карась,сом,сом\n", ("items.csv:4, id", "Duplicate id '1', first used on line 2")),
        (ITEMS.replace("собака\n", "пес\n"), ("items.csv:2, gold", "'пес' is not among the options (кіт, собака)")),
        (ITEMS.replace("дуб", "береза"), ("items.csv:3, first", "'береза' occurs twice")),
        (ITEMS.replace("дуб", ""), ("items.csv:3, first", "An empty option comes before a filled one")),
        (ITEMS.replace("дуб,береза", ","), ("items.csv:3, first", "fewer than two options")),
        (ITEMS.replace("дерева", " "), ("items.csv:3, hint", "nothing to show")),
        (ITEMS.replace("2,", ",", 1), ("items.csv:3, id", "no id")),
        (ITEMS + "3,риби\n", ("items.csv:4", "2 cells, the header 5")),
        (ITEMS.replace("hint", "id"), ("items.csv:1, id", "same name")),
        (
            ITEMS.encode("cp1251"),
            ("items.csv:2", "it looks like Windows-1251. Write `encoding: cp1251` beside `file`, or save"),
        ),
        (ITEMS.encode("utf-16"), ("items.csv", "UTF-16")),
        (b"\x89PNG\r\n\0\0", ("items.csv", "binary file")),
        (ITEMS + '3,"риби,карась,сом,сом\n', ("items.csv", "cannot be read", "quotes")),
    ],
)
def test_a_mistake_in_the_items_is_named_with_its_place(
    words: Hromada, items: str | bytes, says: tuple[str, ...]
) -> None:
    """Empty, doubled, contradictory, badly encoded and binary items: file, line, column, remedy."""
    words.write("items.csv", items)
    assert_refused(words, "load", "project.yaml", says=says)


def test_json_lines_are_refused_with_their_line(words: Hromada) -> None:
    """A line that is no JSON object is named."""
    words.write("project.yaml", PROJECT.replace("items.csv", "items.jsonl").replace("[first, second]", "options"))
    row = '{"id": 1, "hint": "тварини", "options": ["кіт", "собака"], "gold": "кіт"}\n'
    for text, says in (
        (row + "{oops}\n", ("items.jsonl:2:2", "not JSON")),
        (row.replace("тварини", r"\$5"), ("items.jsonl:1:20", "In JSON, write \\\\ for a backslash.")),
        (row + "[1]\n", ("items.jsonl:2", "not a JSON object")),
        (row.replace('["кіт", "собака"]', '"кіт, собака"'), ("items.jsonl:1, options", "not a list of options")),
    ):
        words.write("items.jsonl", text)
        assert_refused(words, "load", "project.yaml", says=says)
    words.write("items.jsonl", "\ufeff" + row)
    assert words("load", "project.yaml").code == 0


@pytest.mark.parametrize(
    ("votes", "says"),
    [
        (VOTES + "2,ann,a\n", ("more.csv:4", "'2'", "not loaded")),
        (VOTES + "1,eve,c\n1,joe,c\n", ("more.csv:4", "options (a, b): 'c' (2 times)", "votes.labels.map")),
        (VOTES + "1,,a\n", ("more.csv:4, worker", "names no annotator")),
        (VOTES + ",eve,a\n", ("more.csv:4, task", "names no item")),
        (VOTES.replace("worker", "who"), ("more.csv:1", "no column 'worker'", "votes.annotator")),
        ("task,worker,label\n", ("more.csv", "a header but no votes")),
    ],
)
def test_a_mistake_in_the_votes_changes_nothing(hromada: Hromada, votes: str, says: tuple[str, ...]) -> None:
    """Unknown items, labels outside the set and missing names are refused, and no vote of the file is stored."""
    hromada.write("votes.csv", VOTES)
    name = hromada.loaded(VOTES_PROJECT)
    hromada.write("more.csv", votes)
    assert_refused(hromada, "import", name, "more.csv", says=says)


def test_the_same_votes_are_not_imported_twice(hromada: Hromada) -> None:
    """A file that was imported is refused the second time, whatever its name."""
    hromada.write("votes.csv", VOTES)
    name = hromada.loaded(VOTES_PROJECT)
    hromada.write("copy.csv", VOTES)
    assert_refused(hromada, "import", name, "copy.csv", says=("copy.csv", "imported into 'crowd' already"))


def test_a_changed_project_of_the_same_name_is_refused(words: Hromada) -> None:
    """Loading is idempotent; loading something else under a name that is taken is an error with the way out."""
    assert words("load", "project.yaml").code == 0
    assert words("load", "project.yaml", "--json").json["stored"] is False
    words.write("items.csv", ITEMS.replace("тварини", "звірі"))
    assert_refused(
        words, "load", "project.yaml", says=("'words' is loaded already", "items changed: 1", "--yes", "another name")
    )


def test_a_folder_in_place_of_a_file_is_refused(words: Hromada) -> None:
    """It is named as what it is."""
    assert_refused(words, "load", words.folder, says=("folder, not a file",))


def test_a_file_that_is_no_database_is_refused(words: Hromada) -> None:
    """A text file in place of the database is named, and left as it is."""
    words.write("hromada.db", "not a database at all, " * 100)
    ran = words("load", "project.yaml")
    assert (ran.code, "not a database" in ran.err) == (2, True)
    assert (words.folder / "hromada.db").read_text().startswith("not a database")


def test_settings_are_refused_by_name_and_never_shown(words: Hromada) -> None:
    """A setting that cannot be used is named; a secret is not printed."""
    ran = words("status", env={"HROMADA_LOG_LEVEL": "LOUD"})
    assert (ran.code, "HROMADA_LOG_LEVEL" in ran.err) == (2, True)
    ran = words("status", env={"HROMADA_DATABASE_URL": "mysql+nothing://user:hunter2@host/db"})
    assert (ran.code, "HROMADA_DATABASE_URL" in ran.err, "hunter2" in ran.err + ran.out) == (2, True, False)
    for name, value in (("HROMADA_ORGANISERS", "12, @olha"), ("HROMADA_TIME_ZONE", "Kyiv")):
        ran = words("status", env={name: value})
        assert (ran.code, name in ran.err) == (2, True)
    words("load", "project.yaml")
    ran = words("doctor", env={"HROMADA_TELEGRAM_TOKEN": "123:secret"})
    assert "secret" not in ran.err + ran.out.replace("set (never shown)", "")


def test_the_doctor_refuses_a_changed_or_lost_key(hromada: Hromada) -> None:
    """The key of the pseudonyms is made once; another one, or none, is an error of the doctor and of every import."""
    hromada.write("votes.csv", VOTES)
    name = hromada.loaded(VOTES_PROJECT)
    assert hromada("doctor").code == 0
    key = hromada.folder / "hromada.key"
    assert key.stat().st_mode & 0o077 == 0
    kept = key.read_text()
    hromada.write("more.csv", VOTES.replace("ann", "eve"))
    for damage, says in (("00" * 32, "not the pseudonym key"), ("short", "not a key"), (None, "is missing")):
        key.unlink() if damage is None else key.write_text(damage)
        ran = hromada("doctor")
        assert (ran.code, says in ran.out) == (1, True), ran.out
        assert_refused(hromada, "import", name, "more.csv", says=(says,))
    key.write_text(kept)
    key.chmod(0o600)
    assert hromada("import", name, "more.csv").code == 0
    assert hromada("doctor").code == 0


def test_a_database_of_another_program_or_a_newer_one_is_left_alone(words: Hromada) -> None:
    """Neither gets a table of ours; a database in memory, which would forget everything, is refused."""
    with sqlite3.connect(words.folder / "hromada.db") as connection:
        connection.execute("CREATE TABLE project (title TEXT)")
    connection.close()
    assert_refused(words, "load", "project.yaml", says=("belongs to another program", "HROMADA_DATABASE_URL"))
    (words.folder / "hromada.db").unlink()
    assert words("load", "project.yaml").code == 0
    with sqlite3.connect(words.folder / "hromada.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    assert_refused(words, "status", says=("newer hromada", "Upgrade"))
    ran = words("load", "project.yaml", env={"HROMADA_DATABASE_URL": "sqlite://"})
    assert (ran.code, "in memory" in ran.err) == (2, True)


def test_a_refused_first_command_leaves_nothing_behind(words: Hromada) -> None:
    """A load that is refused makes neither a database nor a key."""
    words.write("items.csv", ITEMS + "1,риби,карась,сом,сом\n")
    assert words("load", "project.yaml").code == 2
    assert sorted(path.name for path in words.folder.iterdir()) == ["items.csv", "project.yaml"]


def test_the_doctor_is_content_with_a_fresh_machine_and_writes_nothing(hromada: Hromada) -> None:
    """No database and no key yet is well."""
    ran = hromada("doctor")
    assert (ran.code, "no database yet" in ran.out) == (0, True)
    assert list(hromada.folder.iterdir()) == []


@pytest.mark.process
def test_a_reader_that_has_enough_is_no_error(words: Hromada) -> None:
    """`hromada … --json | head -1` ends well."""
    words.write(
        "items.csv", "id,hint,first,second,gold\n" + "".join(f"{n},слово,кіт,собака,кіт\n" for n in range(5000))
    )
    words.write("project.yaml", PROJECT.replace("overlap: 3", "votes: {format: csv, item: i, annotator: w, answer: a}"))
    assert words("load", "project.yaml").code == 0
    words.write("votes.csv", "i,w,a\n" + "".join(f"{n},ann,кіт\n" for n in range(5000)))
    assert words("import", "words", "votes.csv").code == 0
    line = f"{words.command} aggregate words --json | head -1; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", line], cwd=words.folder, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "{\n", "")


def test_an_unknown_project_is_refused_with_the_nearest(words: Hromada) -> None:
    """A misspelt project names the one that was meant; before anything is loaded the way to begin is said."""
    assert_refused(words, "status", says=("no database yet", "Load a project first"))
    words("load", "project.yaml")
    assert_refused(words, "agreement", "wrods", says=("'wrods'", "Did you mean words?"))


def test_numbers_without_answers_are_refused(words: Hromada) -> None:
    """A project that nobody answered has no consensus, no agreement and no baseline, and says so."""
    words("load", "project.yaml")
    for command in ("aggregate", "agreement", "baseline"):
        assert_refused(words, command, "words", says=("no votes that count", "Collect or import"))


def test_dawid_skene_is_refused_where_options_share_no_classes(words: Hromada) -> None:
    """For options that differ from item to item the command says why not, and what fits."""
    project = PROJECT.replace("overlap: 3", "votes: {format: csv, item: item, annotator: who, answer: says}")
    words.write("project.yaml", project)
    words.write("votes.csv", "item,who,says\n1,ann,кіт\n1,bob,собака\n2,ann,береза\n2,bob,береза\n")
    assert words("load", "project.yaml").code == 0
    assert words("import", "words", "votes.csv").code == 0
    assert_refused(words, "aggregate", "words", "--method", "dawid_skene", says=("majority",))
    units = {unit["unit"] for unit in words("baseline", "words", "--json").json["units"]}
    assert units == {"individual", "majority"}
    assert "krippendorff_alpha_nominal" in words("agreement", "words").out


def test_what_needs_classes_is_refused_for_options_of_their_own(words: Hromada) -> None:
    """Cohen's κ, the breakdown by label and by class, and a method unknown here: refused, each with what fits."""
    words.write(
        "project.yaml", PROJECT.replace("overlap: 3", "votes: {format: csv, item: item, annotator: who, answer: says}")
    )
    words.write("votes.csv", "item,who,says\n1,ann,кіт\n1,bob,собака\n2,ann,береза\n2,bob,береза\n")
    assert words("load", "project.yaml").code == 0
    assert words("import", "words", "votes.csv").code == 0
    for by, says in (("pair", "with the rest"), ("label", "by annotator"), ("class", "--by annotator")):
        assert_refused(words, "agreement", "words", "--by", by, says=(says,))
    assert words("agreement", "words", "--by", "annotator").code == 0
    assert words("aggregate", "words", "--method", "rover").code == 2
    assert_refused(words, "aggregate", "words", "--stop", "converged", says=("--stop is for dawid_skene",))
    assert words("baseline", "words", "--seed", "-1").code == 2


def test_no_text_of_an_item_commands_the_terminal(words: Hromada) -> None:
    """Escapes that clear a screen or name a window, of two and of one character: a mark in tables, lines and errors."""
    nasty = "1\x1b[2J\x1b]0;x\x07\x9b1m"
    items = [{"id": nasty, "text": nasty, "gold": gold} for gold in ("кіт", nasty)]
    project = (
        "project: nasty\ntitle: x\nlanguage: uk\noverlap: 2\nquestion: {type: choice, text: x, options: [кіт, пес]}\n"
    )
    words.write("project.yaml", project + "items: {file: items.jsonl, id: id, show: text, gold: gold}\n")
    printed = []
    for item in reversed(items):
        words.write("items.jsonl", json.dumps(item) + "\n")
        ran = words("load", "project.yaml")
        printed += [ran.out, ran.err]
    printed += [words("status", "nasty", "--item", nasty, *more).out for more in ((), ("--json",))]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "".join(printed)), printed
    assert "1\N{REPLACEMENT CHARACTER}[2J" in printed[-2]
    assert json.loads(printed[-1])["item_id"] == nasty
