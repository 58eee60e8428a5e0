"""Project and programme files: what they may say, and how mistakes in them are named."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from _examples import limit_examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import select

from annotation.campaigns import programme_file, project_file
from annotation.errors import BadInput
from annotation.loading import campaign, campaign_lint
from annotation.store import database
from annotation.store.models import Project
from annotation.workflow.lifecycle import projects

FULL = """\
project: full
title: Повний
language: uk
kind: baseline
instructions: Читайте уважно.
questions:
  - {name: fits, type: choice, text: "Чи підходить?", options: [так, ні], abstain: не знаю, shuffle: yes}
  - {name: why, type: choices, text: "Чому ні?", options: [мова, логіка], show_if: {fits: ні}, required: no}
  - {name: part, type: span, text: "Де саме?", field: text, most: 2, none: ніде, show_if: {why: [мова]}}
  - {name: fixed, type: edit, text: "Виправте", field: text, step: 2}
items:
  file: items.csv
  id: id
  show: [{field: title, title: Назва}, {field: text, fold: yes, mark: word}]
  gold: gold
  golds: {why: why}
  explanation: says
  group: story
  stratum: kind
  tags: [kind]
seed: 7
overlap: {min: 3, max: 5, confidence: 90 %}
stages:
  training: {pool: {where: {pool: training}}, number: 1, pass_mark: 60 %, explain: yes}
pages: {items: 5}
controls: {pool: {where: {pool: control}}, per_page: 1, number: 10}
quality:
  - {rule: control, accuracy: <= 50 %, window: 20, training_counts: yes, consequence: exclude}
  - {rule: seconds, least: 30 s, per: page, consequence: flag}
  - {rule: straight_lining, run: 12, consequence: pause}
  - {rule: text, refuses: [empty, copied], consequence: flag}
profile:
  - {name: native, text: "Рідна мова?", options: [українська, інша], required: yes}
admission: {profile: {native: українська}, top: 60 %, earlier_control: {least: 75 %, projects: other}}
content_warning: Є сумні оповідання.
consent: {file: consent.md, version: 1}
reward: {emoji: [🍎, 🍐], countdown: yes}
exposure: {exceptions: pilot}
reports: {threshold: 2, reasons: [двозначно]}
caps: {items: 100, items_per_day: 50, sitting: 45 min}
lease: 2 h
expected: {seconds: 75}
declared: {recruitment: чат, pay: волонтери, ethics: not sought, licence: CC BY 4.0}
published: {source: "Хтось, 2024", scores: {accuracy: 84.08}}
"""
ITEMS = """\
id,title,text,word,gold,why,says,story,kind,pool
1,Кіт,Жив собі кіт.,кіт,так,,тому,a,казка,main
2,Пес,Жив собі пес.,пес,ні,"[""мова""]",бо,b,казка,training
3,Кит,Жив собі кит.,кит,так,,так,c,вірш,control
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the full project."""
    (tmp_path / "full.yaml").write_text(FULL, "utf-8")
    (tmp_path / "items.csv").write_text(ITEMS, "utf-8")
    (tmp_path / "consent.md").write_text("Я згоден.", "utf-8")
    return tmp_path


def checked(path: Path) -> None:
    """Read a project file with its items, and let the lint judge them."""
    described = project_file.read_project(path)
    found = campaign.read_contents(described)
    campaign_lint.refuse_errors(campaign_lint.lint_campaign(described, found), described, found)


def refused(path: Path) -> str:
    """What is said of a file that cannot be used."""
    with pytest.raises(BadInput) as refusal:
        checked(path)
    return str(refusal.value).removeprefix(f"{path.parent}/")


def refusal_of(call: Callable[[], object]) -> BadInput | None:
    """The refusal; None where nothing was refused. Any other error goes through."""
    try:
        call()
    except BadInput as refusal:
        return refusal
    return None


def load_and_take_back(folder: Path) -> None:
    """Load the full project as far as the database goes along, read its definition back, and undo it."""
    with database.open_database(f"sqlite:///{folder / 'test.db'}") as db, db.transaction() as session:
        projects.load_project_file(session, folder / "full.yaml", now=datetime(2026, 11, 21, tzinfo=UTC))
        (stored,) = session.exec(select(Project)).all()
        session.refresh(stored)
        project_file.parse_definition(stored.definition)
        session.rollback()


def test_a_file_may_say_all_of_it(folder: Path) -> None:
    """Every section is read, and comes back from the database as it was."""
    read = project_file.read_project(folder / "full.yaml")
    found = read.definition
    assert project_file.parse_definition(found.model_dump(mode="json")) == found
    assert str(found.stages.by_name["training"].pass_mark) == "60%"
    assert [item.pool.value for item in campaign.read_contents(read).items] == ["main", "training", "control"]
    assert (found.min_overlap, found.lease, found.quality[1].model_dump()["least"]) == (3, 7200.0, 30.0)
    assert sorted(found.declared.missing) == ["ai_use", "population"]


DAMAGE = [
    "", "{", "]", ": ", "\n", "- ", "null", "~", "999999999999", "\0", '"', "є", "%", "9" * 25, "9" * 400, "-1",
    '"\\0"', '"\\uD800"', '"\\UFFFFFFFF"', "\ufeff", "\x1c", "\u2028", "🐈", "&a ", "*a", "!!int ",
    "<<: ", "? ", "[" * 50,
]  # fmt: skip


MISTAKES: list[tuple[str, str, tuple[str, ...]]] = [
    ("options: [так, ні], abstain", "options: [ні, ні], abstain", ("full.yaml:7:5, questions.0", "'ні' occurs twice")),
    ("type: span", "type: spam", ("full.yaml:9:18, questions.2.type", "'spam'", "'choices'", "'span'")),
    ("field: text, most", "feild: text, most", ("full.yaml:9:", "questions.2.feild", "Did you mean `field`?")),
    ("name: why", "name: fits", ("Two questions are named 'fits'",)),
    ("show_if: {fits: ні}", "show_if: {fits: може}", ("'why' is shown if 'fits' is 'може', which nobody can answer",)),
    ("show_if: {why: [мова]}", "show_if: {fixed: мова}", ("which is not asked before it",)),
    ("field: text, step: 2", "field: text, show_if: {part: кіт}, step: 2", ("depends on the part marked in",)),
    (
        "type: choices, text: \"Чому ні?\", options: [мова, логіка]",
        "type: scale, text: Бал, options: {from: 0, to: 100}", ("depends on the number given in 'why'",),
    ),
    (
        "type: choices, text: \"Чому ні?\", options: [мова, логіка]",
        "type: scale, text: Бал, options: {from: 0, to: 9, step: 2}", ("Steps of 2 do not lead from 0 to 9",),
    ),
    (
        "type: choices, text: \"Чому ні?\", options: [мова, логіка]",
        "type: scale, text: Бал, options: {from: 0, till: 9}", ("write {from: 0, to: 100, step: 1}",),
    ),
    ("pages: {items: 5}", f"pages: {{items: {'9' * 25}}}", ("full.yaml:", "pages.items", "Write 2147483647 or less.")),
    ("lease: 2 h", f"lease: {'9' * 400} h", ("full.yaml:", "lease: '…' is too large.")),
    ("instructions: Читайте", r'instructions: "\0" #', ("cannot be stored (U+0000, or half a character)",)),
    ("instructions: Читайте", r'instructions: "\uD800" #', ("cannot be stored (U+0000, or half a character)",)),
    ("kind: baseline", r'kind: "\UFFFFFFFF"', ("full.yaml:4:8: This is not YAML: an escape names no character",)),
    ("field: text, step: 2", "field: word, step: 2", ("'fixed' is about the column 'word', which `items.show`",)),
    ("golds: {why: why}", "golds: {whi: why}", ("`items.golds` speaks of a question 'whi'",)),
    ("confidence: 90 %", "confidence: 90", ("full.yaml:22:27", "overlap.confidence")),
    ("confidence: 90 %", "confidence: sure", ("'sure' is not a share", "60 %")),
    ("{min: 3, max: 5", "{min: 5, max: 5", ("write `overlap: 5`",)),
    ("overlap: {min", "overlaps: {min", ("overlaps", "Did you mean `overlap`?")),
    ("  group: story", "  gruop: story", ("items.gruop", "Did you mean `group`?")),
    ("  group: story", "  answers: {why: why}\n  group: story", ("items.answers", "`answers` belongs under `votes`")),
    ("  group: story", "  most: 3\n  group: story", ("items.most", "`most` belongs under `questions`")),
    ("type: span,", "type: span, where: {a: b},", ("questions.2.where", "`where` belongs under `items`: move")),
    ("options: [так, ні], abstain", "options: [так, ні, abstain", ("The bracket `[` of line 7, column 64 is closed",)),
    ("{field: title, title: Назва}", "{field: title, title: Назва", ("The bracket `{` of line 14, column 10 is",)),
    ("pages: {items: 5}", "pages: {items: 5}}", ("full.yaml:25:", "The bracket `}` closes none")),
    ("accuracy: 84.08}}", 'accuracy: "84.08}}', ("The quote of line 44, column 55 is not closed",)),
    ("pass_mark: 60 %", "pass_mark: 7 of 5", ("stages.training.pass_mark", "7 of 5 cannot be reached")),
    ("pass_mark: 60 %", "pass_mark: 7 of 10", ("speaks of 10 items, the stage has 1",)),
    ("  training: {", "  pilot: {pool: {where: {pool: main}}, pass_mark: 60 %}\n  training: {",
     ("full.yaml:24:", "stages.pilot.pass_mark: Nobody passes or fails a pilot", "Leave it out.")),
    ("  training: {", "  pilot: {pool: {where: {pool: main}}, attempts: 2}\n  training: {", ("stages.pilot.attempts",)),
    ("accuracy: <= 50 %", "accuracy: 50 %", ("quality.0.accuracy", "write < 50 % or <= 50 %")),
    ("rule: seconds", "rule: second", ("quality.1.rule", "'second'", "'straight_lining'")),
    ("least: 30 s", "least: soon", ("quality.1.least", "'soon' is not a duration")),
    ("pages: {items: 5}\n", "", ("Control items per page need `pages`",)),
    ("pages: {items: 5}", "pages: {items: 1}", ("nothing but control items",)),
    ("per_page: 1, number", "number", ("need either `per_page` or `rate`",)),
    ("[empty, copied]", "[empty, words]", ("needs the file with them in `words`",)),
    ("{native: українська}, top", "{mother: українська}, top", ("'mother', a field that the profile does not have",)),
    ("options: [українська, інша]", "type: text, options: [українська]", ("`text` and `number` take none",)),
    ("{native: українська}, top", "{native: інакша}, top", ("'інакша', which is not among its options",)),
    ("exceptions: pilot", "exceptions: full", ("no exposure exception for itself",)),
    ("  explanation: says\n", "", ("The training explains",)),
    ("  gold: gold\n  golds: {why: why}\n", "", ("The training stage needs gold",)),
    ("kind: baseline", "kind: base", ("full.yaml:4:1, kind",)),
    ("instructions: Читайте уважно.", "instructions: а\ninstructions_file: б", ("instructions are given twice",)),
    ("seed: 7", "seed: seven", ("full.yaml:21:1, seed: 'seven' is not a whole number. Write, for example, 3.",)),
    ("pages: {items: 5}", "pages: {items: }", ("pages.items: An empty value is not a whole number.",)),
    ("pages: {items: 5}", "pages: {items: 0}", ("pages.items: '0' is too small. Write 1 or more.",)),
    ("pages: {items: 5}", "pages: 5", ("pages: There are no keys here. Write `key: value` lines below it",)),
    ("least: 30 s", "least: 0 s", ("quality.1.least: '0 s' is too small. Write more than 0.",)),
    ("confidence: 90 %", "confidence: 150 %", ("overlap.confidence: '150 %' is too large. Write 100% or less.",)),
    ("shuffle: yes", "shuffle: maybe", ("questions.0.shuffle: 'maybe' is neither yes nor no. Write yes or no.",)),
    ("options: [так, ні], abstain", "options: [так], abstain", ("options: Too few values. Give at least 2.",)),
    ("options: [так, ні], abstain", "options: так, abstain", ("options: This is not a list. Write [one, two]",)),
    ("file: items.csv", "file: [items.csv]", ("items.file: This is not one text. Write one value",)),
    ("consequence: pause", "consequence: stop", ("'stop' is not known here. Write 'flag', 'pause' or 'exclude'.",)),
    ("mark: word", "mark: wrod", ("items.csv:1", "no column 'wrod'", "items.show.mark")),
    ("where: {pool: training}", "where: {pol: training}", ("no column 'pol'",)),
    ("where: {pool: training}", "where: {pool: none}", ("No item is left for the training pool",)),
    ("where: {pool: training}", "where: {kind: казка}", ("No item is left for the main pool",)),
    ("where: {pool: training}", "where: {pool: control}", ("in the training pool and in the control pool: 3",)),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "says"), MISTAKES)
def test_a_mistake_is_named(folder: Path, old: str, new: str, says: tuple[str, ...]) -> None:
    """Each with its place, and where there is one the remedy."""
    assert old in FULL
    (folder / "full.yaml").write_text(FULL.replace(old, new), "utf-8")
    told = refused(folder / "full.yaml")
    for part in says:
        assert part in told, told


CONTRADICTIONS: list[tuple[str, str, str]] = [
    ("items:\n", "question: {type: text, text: а}\nitems:\n", "6:1, questions: What is asked?"),
    ("name: why", "name: fits", "8:6, questions.1.name: Two questions"),
    ("step: 2}", "step: 2}\n  - {name: late, type: text, text: а}", "11:5, questions.4.step: The steps"),
    ("instructions: Читайте уважно.", "instructions: а\ninstructions_file: б", "6:1, instructions_file: The"),
    ("seed: 7", "truth: {file: a.csv, item: a, gold: b}", "21:1, truth: Items from a file"),
    ("overlap: {min: 3, max: 5, confidence: 90 %}\n", "", "1:1, overlap: How many people"),
    ("  show: [", "  options: [title, word]\n  show: [", "14:3, items.options: The options are given twice"),
    (", options: [так, ні], abstain", ", abstain", "7:5, questions.0.options: There are no options"),
    ("show_if: {fits: ні}", "show_if: {fits: може}", "8:85, questions.1.show_if.fits: 'why' is shown"),
    ("show_if: {why: [мова]}", "show_if: {fixed: мова}", "9:92, questions.2.show_if.fixed: 'part' is shown"),
    ("field: text, step: 2", "field: word, step: 2", "10:49, questions.3.field: 'fixed' is about"),
    ("golds: {why: why}", "golds: {whi: why}", "16:11, items.golds.whi: `items.golds` speaks"),
    ("  gold: gold\n  golds: {why: why}\n", "", "22:3, stages.training: The training stage needs gold"),
    ("  explanation: says\n", "", "23:75, stages.training.explain: The training explains"),
    ("pages: {items: 5}\n", "", "25:44, controls.per_page: Control items per page"),
    ("pages: {items: 5}", "pages: {items: 1}", "26:44, controls.per_page: A page of nothing"),
    ("  - {rule: text,", "  - {rule: text, words: a.txt,", "31:32, quality.3.refuses: A rule about words"),
    ("{native: українська}, top", "{mother: українська}, top", "34:23, admission.profile.mother: Admission asks"),
    ("name: native", "name: native, text: а, type: text}\n  - {name: native", "34:6, profile.1.name: The profile"),
    ("exceptions: pilot", "exceptions: full", "38:12, exposure.exceptions: A project needs no"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "says"), CONTRADICTIONS)
def test_a_contradiction_is_told_at_the_key_to_look_at(folder: Path, old: str, new: str, says: str) -> None:
    """Sections that do not agree: line and column of one of them, or of what should hold the missing key."""
    assert old in FULL
    (folder / "full.yaml").write_text(FULL.replace(old, new), "utf-8")
    assert refused(folder / "full.yaml").startswith(f"full.yaml:{says}")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "Жив собі кіт.,кіт",
            "Жив кіт і кіт.,кіт",
            "items.csv:2, word: 'кіт' cannot be highlighted: it occurs 2 times",
        ),
        ("пес,ні", "пес,не знаю", "items.csv:3, gold: The gold 'не знаю' is not among the options"),
        ('"[""мова""]"', "зміст", "items.csv:3, why: The gold cannot be an answer: «Чому ні?» cannot be answered"),
        ("кит,так", "кит,", "items.csv:4, gold: The control item has no gold"),
        (",c,вірш", ",a,вірш", "items.csv:4: These control items share a group with main items: 3"),
    ],
)
def test_a_mistake_in_the_items_is_named(folder: Path, old: str, new: str, says: str) -> None:
    """Gold that nobody can answer, highlights that are not there, pools that share a group."""
    assert old in ITEMS
    (folder / "items.csv").write_text(ITEMS.replace(old, new), "utf-8")
    assert says in refused(folder / "full.yaml")


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=limit_examples(150),
    deadline=None,
)
@given(data=st.data())
def test_any_damage_is_a_sentence_with_a_place(folder: Path, data: st.DataObject) -> None:
    """A piece of a file deleted or overwritten: it can be loaded, or there is an error of ours with the place."""
    path, text = data.draw(st.sampled_from([("full.yaml", FULL), ("items.csv", ITEMS)]))
    words = [(found.start(), found.end()) for found in re.finditer(r"[^\s,:{}\[\]]+", text)]
    anywhere = st.integers(0, len(text)).flatmap(
        lambda start: st.tuples(st.just(start), st.integers(start, start + 40))
    )
    start, end = data.draw(st.sampled_from(words) | anywhere)
    junk = data.draw(st.sampled_from(DAMAGE))
    for name, whole in (("full.yaml", FULL), ("items.csv", ITEMS)):
        (folder / name).write_text(whole[:start] + junk + whole[end:] if name == path else whole, "utf-8")
    refusal = refusal_of(lambda: load_and_take_back(folder))
    assert refusal is None or (refusal.where is not None and refusal.where.file is not None)


@settings(max_examples=limit_examples(150), deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([*project_file.ProjectFile.model_fields, "nonsense"]),
        st.recursive(
            st.none() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["type", "text", "options", "file", "rule", "min", "pool"]), inner)
            ),
            max_leaves=8,
        ),
    )
)
def test_any_values_are_a_project_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, object]
) -> None:
    """Known keys with anything for values: a project, or an error of ours with file, line and column."""
    import json

    path = tmp_path_factory.mktemp("any") / "p.yaml"
    path.write_text(json.dumps(values), "utf-8")
    refusal = refusal_of(lambda: project_file.read_project(path))
    assert refusal is None or (refusal.where is not None and refusal.where.line is not None)
    assert "Input should" not in str(refusal), "pydantic's own words name classes"


PROGRAMME = """\
programme: spring
title: Весна
language: uk
consent: {file: consent.md, version: 2}
profile: [{name: age, text: "Вік?", type: number}]
order: interleaved
projects: [{file: one.yaml, quota: 100}, {file: two.yaml}]
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("", "", ""),
        ("file: two.yaml", "file: one.yaml", "programme.yaml:7:43, projects.1.file: Project 'one' is listed twice"),
        ("language: uk", "language: en", "is in 'uk', the programme in 'en'"),
        ("order: interleaved", "order: shuffled", "programme.yaml:6:1, order"),
        ("quota: 100", "quota: 0", "projects.0.quota"),
        ("order:", "admission: {profile: {sex: ні}}\norder:", "programme.yaml:6:23, admission.profile.sex: Admission"),
        (
            "order:",
            "invite_friends: 2\nadmission: {cohort: a}\norder:",
            "programme.yaml:7:13, admission.cohort: Invited friends",
        ),
        ("qouta", "quota", ""),
        ("consent.md", "agreement.md", "agreement.md: There is no such file"),
        ("two.yaml", "three.yaml", "projects.1.file: There is no file 'three.yaml'"),
    ],
)
def test_a_programme_is_checked_with_its_projects(folder: Path, old: str, new: str, says: str) -> None:
    """Several projects behind one consent: names, languages, files."""
    for name in ("one", "two"):
        text = FULL.replace("project: full", f"project: {name}").replace(
            "consent: {file: consent.md, version: 1}\n", ""
        )
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    path = folder / "programme.yaml"
    path.write_text(PROGRAMME.replace(old, new), "utf-8")
    assert programme_file.is_programme(path)
    if not says:
        assert [one.name for one in programme_file.read_programme(path).projects] == ["one", "two"]
        return
    with pytest.raises(BadInput) as refusal:
        programme_file.read_programme(path)
    assert says in str(refusal.value)


def test_a_programme_is_not_loaded_as_a_project_and_its_texts_must_be_there(folder: Path) -> None:
    """A programme is named as what it is; a consent that is not there is missed before anything is stored."""
    path = folder / "programme.yaml"
    path.write_text(PROGRAMME, "utf-8")
    assert "programme.yaml:1:1, programme: This is a programme, not a project" in refused(path)
    (folder / "consent.md").unlink()
    assert "consent.file: There is no file 'consent.md'." in refused(folder / "full.yaml")
    (folder / "стаи\u0306.md").write_text("Згода.", "utf-8")  # й as two characters, as macOS names files
    (folder / "full.yaml").write_text(
        (folder / "full.yaml").read_text("utf-8").replace("consent.md", "стай.md"), "utf-8"
    )
    assert "`стаи\u0306.md` looks the same but is encoded differently" in refused(folder / "full.yaml")


def test_a_project_of_a_programme_has_no_consent_of_its_own(folder: Path) -> None:
    """People agree once."""
    path = folder / "programme.yaml"
    path.write_text(PROGRAMME.replace("{file: one.yaml, quota: 100}, {file: two.yaml}", "{file: full.yaml}"), "utf-8")
    with pytest.raises(BadInput, match="has a consent of its own"):
        programme_file.read_programme(path)


def test_a_project_of_a_programme_invites_no_friends(folder: Path) -> None:
    """Nothing would read the key there: the programme's file has it."""
    path, project = folder / "programme.yaml", folder / "one.yaml"
    path.write_text(PROGRAMME.replace(", {file: two.yaml}", ""), "utf-8")
    text = FULL.replace("project: full", "project: one").replace("consent: {file: consent.md, version: 1}\n", "")
    project.write_text(text, "utf-8")
    programme_file.read_programme(path)
    project.write_text(f"{text}invite_friends: 3\n", "utf-8")
    with pytest.raises(BadInput, match="`invite_friends`, which a programme does not read"):
        programme_file.read_programme(path)
