"""`hromada check`: everything at once, in words that help, and what would stop or weaken a campaign before it does."""

from __future__ import annotations

import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from aggregation.errors import MOST_TOLD

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: small
title: t
language: en
instructions: Read.
kind: baseline
question: {type: choice, text: Which?, options: [x, y]}
items: {file: items.csv, id: id, show: text, gold: gold}
overlap: 3
"""
CONTROLS = "controls: {pool: {where: {id: ['1', '2']}}, rate: 20 %}\n"
ITEMS = "id,text,gold\n" + "".join(f"{number},text {number},{'xy'[number % 2]}\n" for number in range(12))


@pytest.fixture
def small(hromada: Hromada) -> Hromada:
    """A folder with a project of twelve items."""
    hromada.write("items.csv", ITEMS)
    hromada.write("project.yaml", PROJECT)
    return hromada


def check(hromada: Hromada, more: str = "", *, old: str = "", new: str = "") -> str:
    """The error of a check of the project with more lines, or with other ones; it cannot be loaded either."""
    hromada.write("project.yaml", PROJECT.replace(old, new) + more)
    ran = hromada("check", "project.yaml")
    assert ran.code == 2, ran.out
    assert hromada("load", "project.yaml").code == 2
    assert not (hromada.folder / "hromada.db").exists()
    return ran.err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("items: {", "items: {filter: a, ", "items.filter: This key is not known here. Rows are chosen by `where`"),
        ("items: {", "items: {overlap: 3, ", "`overlap` belongs at the top of the file"),
        ("title: t", "title: Quiz: animals", "2:12: There is a colon in the value. Put the text in quotes, like"),
        ("title: t", "\ttitle: t", "2:1: The line begins with a tab. Indent with blanks."),
        ("title: t", "title:\tt", "2:7: There is a tab in the line. Write blanks."),
        ("overlap: 3", "overlap: 3\nreward: {pay: {per_hour: 3, currency: euro}}", "code of a currency: write EUR."),
        ("overlap: 3", "overlap: 3\nreward: {pay: {per_hour: 3, currency: usd}}", "write USD."),
        ("overlap: 3", "overlap: 3\nreward: {pay: {per_hour: 3, currency: money}}", "three letters, like EUR or UAH"),
        (
            "overlap: 3", "overlap: 3\nstages: {qualification: {pool: {where: {a: b}}, pass_mark: 3}}",
            "'3' of how many: write `3 of 5` or `60 %`.",
        ),
        ("overlap: 3", "annotators: 3\noverlap: 3", "How many people answer each item is `overlap`."),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_remedy(small: Hromada, old: str, new: str, said: str) -> None:
    """The words of an organiser's usual mistakes, with the place in the file."""
    assert said in check(small, old=old, new=new)


def test_an_outdented_key_is_sent_to_its_section(small: Hromada) -> None:
    """Each of them, and all at once."""
    told = check(small, old="question: {type: choice, text: Which?,", new="question:\ntype: choice\ntext: Which?\nx: {")
    assert "`type` belongs under `question`: indent it." in told
    assert "`text` belongs under `question`: indent it." in told


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("question:\n  type: choice\ntext: Which?\n  options: [x, y]", "9:10: The line is indented below a key that"),
        ("question:\n  type: choice\ntext: Which?\n  options: [x, y]", "or indent `text` above as far as it."),
        ("questions:\n  - name: a\n  type: choice", "8:3: The line is further out than the keys of its list. Begin it"),
    ],
)
def test_a_key_outdented_in_the_middle_of_its_section_is_named(small: Hromada, section: str, said: str) -> None:
    """The parser stumbles over the line below it, or over the key itself in a list."""
    assert said in check(small, old="question: {type: choice, text: Which?, options: [x, y]}", new=section)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (
            "items: items.csv",
            "items: 'items.csv' is not known here. Write `items: from votes`, or `items: {file: items.csv,",
        ),
        ("items: data/my.json", "or `items: {file: data/my.json, id: …, show: …}`."),
        ("items: from vote", "Write `items: from votes`, or `items: {file: items.csv, id: …, show: …}`."),
        (
            "seed: 1",
            "items: This key is missing. Add `items: from votes`, or `items: {file: items.csv, id: …, show: …}`.",
        ),
    ],
)
def test_what_goes_under_items_is_shown(small: Hromada, new: str, said: str) -> None:
    """Where a file alone, or nothing, stands there."""
    assert said in check(small, old="items: {file: items.csv, id: id, show: text, gold: gold}", new=new)


def test_columns_as_options_of_the_question_are_sent_to_the_items(small: Hromada) -> None:
    """Where gold shows it as an error; without gold as a warning, for they may be the options."""
    small.write("items.csv", "id,text,first,second,gold\n1,a or b,a,b,b\n2,c or d,c,d,d\n")
    moved = "These are names of columns: move `options` under `items`. There is 1 more error"
    assert moved in check(small, old="[x, y]", new="[first, second]")
    small.write("project.yaml", PROJECT.replace("[x, y]", "[first, second]").replace(", gold: gold", ""))
    checked = small("check", "project.yaml", "--json")
    assert checked.code == 0
    assert checked.json["warnings"] == [
        "The options first, second are names of columns. If these hold the options, move `options` under `items`."
    ]
    assert "Warning: The options first, second" in small("check", "project.yaml").out
    small.write("items.csv", "id,text,x,y,gold\n1,a or b,.1,.9,y\n2,c or d,.2,.8,x\n")
    small.write("project.yaml", PROJECT)
    assert small("check", "project.yaml", "--json").json["warnings"] == []


def test_all_columns_pools_and_texts_that_lack_are_told_at_once(small: Hromada) -> None:
    """Of one file, of several, and of pools that nothing is left for; missing instructions beside them."""
    told = check(small, old="show: text, gold: gold", new="show: txt, gold: right").splitlines()
    assert [line.split(": ")[1] for line in told] == ["items.csv:1, right", "items.csv:1, txt"]
    pools = (
        "stages:\n  training: {pool: {file: none.csv}}\n"
        "  qualification: {pool: {where: {text: z}}, pass_mark: 1 of 2}\n"
        "controls: {pool: {where: {kind: c}}, rate: 20 %}\n"
    )
    told = check(small, pools, old="instructions: Read.\n").splitlines()
    assert [line.split(": ", 1)[1].split(". ")[0] for line in told] == [
        "project.yaml:9:21, stages.training.pool.file: There is no file 'none.csv'",
        "items.csv: No item is left for the qualification pool",
        "items.csv:2: There is no column 'kind', by which the control items are chosen",
        "project.yaml: It has no instructions",
    ]


def test_all_mistakes_of_the_file_are_told_at_once(small: Hromada) -> None:
    """In the order of the file, each on a line of its own with its place."""
    told = check(small, "seed: often\nreports: {threshold: 0}\nfoo: 1\n", old="overlap: 3", new="overlap: many")
    lines = told.splitlines()
    assert [line.split(", ")[0] for line in lines] == [
        "hromada: project.yaml:8:1", "hromada: project.yaml:9:1", "hromada: project.yaml:10:11",
        "hromada: project.yaml:11:1",
    ]  # fmt: skip


def test_a_command_that_the_bot_does_not_have_is_refused_in_texts_but_not_in_items(small: Hromada) -> None:
    """Annotators would tap it and be told that there is none; an item may say what it likes."""
    said = check(small, "content_warning: Blood. /stopp ends it.\n", old="Read.", new="Read. Stop with /leave.")
    assert "project.yaml:4:1, instructions: The bot has no command /leave. Did you mean /withdraw?" in said
    assert "/stopp" in said
    small.write("items.csv", ITEMS.replace("text 3", "/leave"))
    small.write("project.yaml", PROJECT)
    assert small("check", "project.yaml").code == 0


def test_all_contradictions_are_told_at_once(small: Hromada) -> None:
    """Those of different sections, which are found after each key is right by itself."""
    told = check(
        small,
        "stages: {training: {pool: {where: {text: text 1}}, explain: yes}}\n"
        "controls: {pool: {where: {text: text 2}}, per_page: 1}\nexposure: {exceptions: [small]}\n",
    )
    assert len(told.splitlines()) == 3
    assert "`items.explanation`" in told
    assert "need `pages`" in told
    assert "no exposure exception for itself" in told


def test_all_wrong_rows_are_told_at_once(small: Hromada) -> None:
    """Rows of the items, with the first twenty named and the rest counted; and files of texts that are not there."""
    small.write("items.csv", ITEMS + ",no id,x\n3,again,x\n" + "".join(f"{n},twice,x\n" for n in range(1, 12)) * 2)
    told = check(small, "consent: {file: none.txt, version: 1}\n")
    lines = told.splitlines()
    assert "none.txt" in lines[0]
    assert "items.csv:14, id: The item has no id." in lines[1]
    assert "items.csv:15, id: Duplicate id '3', first used on line 5." in lines[2]
    assert len(lines) == MOST_TOLD + 1
    assert lines[-1] == "hromada: 5 more errors."


def test_all_wrong_votes_are_told_at_once(small: Hromada) -> None:
    """Votes on unknown items, and labels that no option has."""
    small.write("votes.csv", "item,who,says\n1,a,x\n77,a,x\n78,b,y\n2,a,z\n")
    votes = "votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: says}\n"
    small.write("project.yaml", PROJECT + votes)
    told = small("check", "project.yaml").err
    assert "votes.csv:3" in told
    assert "votes.csv:4" in told
    assert "Labels that are not among the options" in told


@pytest.mark.parametrize(
    ("golds", "said", "positions"),
    [
        ("ABAB", "add `labels: {positions: [A, B]}` to the question", "[A, B]"),
        ("1212", "(`labels: positions` where they count from 0)", "[1, 2]"),
    ],
)
def test_gold_that_names_places_is_recognised(small: Hromada, golds: str, said: str, positions: str) -> None:
    """Of options that differ from item to item; what is suggested makes the project loadable."""
    rows = "".join(f"{n},text {n},one {n},two {n},{gold}\n" for n, gold in enumerate(golds))
    small.write("items.csv", "id,text,first,second,gold\n" + rows)
    own = PROJECT.replace(", options: [x, y]", "").replace("show: text", "show: text, options: [first, second]")
    small.write("project.yaml", own)
    ran = small("check", "project.yaml", "--json")
    assert ran.code == 2
    assert said in ran.json["findings"][0]["first"], ran.out
    small.write("project.yaml", own.replace("text: Which?", f"text: Which?, labels: {{positions: {positions}}}"))
    assert small("check", "project.yaml").code == 0


def test_gold_that_names_places_of_shared_options_is_to_be_written_out(small: Hromada) -> None:
    """They are classes already, so that no positions can be given."""
    small.write("items.csv", "id,text,gold\n1,text,B\n2,other,A\n")
    ran = small("check", "project.yaml", "--json")
    assert ran.code == 2
    assert "write the option itself: 'y'." in ran.json["findings"][0]["first"]


def test_what_would_stop_the_start_is_told_before(small: Hromada) -> None:
    """Missing instructions, and a pool that is smaller than its stage; `start` refuses with the same words."""
    small.write("project.yaml", PROJECT.replace("instructions: Read.\n", "") + "stages: {qualification: {pool: {where:"
                " {text: [text 1, text 2]}}, pass_mark: 4 of 5}}\n")  # fmt: skip
    told = small("check", "project.yaml", "--json").json["to do"]
    assert small("load", "project.yaml").code == 0
    refused = small("start", "small")
    assert refused.code == 2
    assert len(told) == 2
    for line in told:
        assert line.split(". ")[0] in refused.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            f"{CONTROLS}quality: [{{rule: control, accuracy: < 50 %, consequence: flag}}]\n",
            "it waits for 10 answers to control items, and one person meets at most 2",
        ),
        ("quality: [{rule: straight_lining, run: 20, consequence: flag}]\n", "one person gets at most 12 items"),
        ("repeats: {share: 3 %}\n", "No item is asked again: 3% of the 12 items"),
    ],
)
def test_rules_that_cannot_fire_are_told(small: Hromada, more: str, said: str) -> None:
    """With how much is there, and what would make them work; the project can be loaded all the same."""
    small.write("project.yaml", PROJECT + more)
    ran = small("check", "project.yaml")
    assert ran.code == 0, ran.err
    assert said in " ".join(ran.out.split())


def test_a_rule_that_can_fire_is_not_told_of(small: Hromada) -> None:
    """As many control items as it waits for."""
    rule = "quality: [{rule: control, accuracy: < 50 %, min_controls: 2, consequence: flag}]\n"
    small.write("project.yaml", PROJECT + CONTROLS + rule)
    assert small("check", "project.yaml", "--json").json["weak"] == []


def test_what_is_not_declared_is_one_line(small: Hromada) -> None:
    """The keys by name; what each has to say is in the page that is named, and in --json."""
    small.write("project.yaml", PROJECT + "declared: {pay: volunteers}\n")
    out = " ".join(small("check", "project.yaml").out.split())
    assert "under `declared`: recruitment, ethics, population, ai_use, licence." in out
    assert set(small("check", "project.yaml", "--json").json["to declare"]) == {
        "recruitment", "ethics", "population", "ai_use", "licence",
    }  # fmt: skip


def test_a_placeholder_is_refused_by_check_and_load_alike(small: Hromada) -> None:
    """With the line, the field and what to write; nothing is stored."""
    small.write("project.yaml", PROJECT + 'declared: {ethics: "-", population: n/a}\n')
    small.write("all.yaml", "programme: all\ntitle: …\nlanguage: en\nprojects: [{file: project.yaml}]\n")
    line = PROJECT.count("\n") + 1
    for command in ("check", "load"):
        ran = small(command, "project.yaml")
        said = " ".join(ran.err.split())
        assert ran.code == 2
        assert f"project.yaml:{line}:12, declared.ethics: '-' is a placeholder. Write which board" in said
        assert f"project.yaml:{line}:25, declared.population: 'n/a' is a placeholder. Write whom" in said
    assert "all.yaml:2:1, title: '…' is a placeholder." in small("check", "all.yaml").err
    assert not (small.folder / "hromada.db").exists()


def test_a_programme_is_checked_with_all_of_its_projects(small: Hromada) -> None:
    """Facts, obstacles and weaknesses of each by its name; mistakes of several files at once."""
    small.write("two.yaml", PROJECT.replace("project: small", "project: two").replace("instructions: Read.\n", ""))
    programme = "programme: all\ntitle: t\nlanguage: en\nprojects: [{file: project.yaml}, {file: two.yaml}]\n"
    small.write("all.yaml", programme)
    facts = small("check", "all.yaml", "--json").json
    assert (facts["small: items"], facts["two: items"]) == (12, 12)
    assert facts["to do"][0].startswith("two: It has no instructions.")
    table = small("check", "all.yaml").out.split("Its projects")[1]
    assert [line.split()[:4] for line in table.splitlines() if line.startswith(("small ", "two "))] == [
        ["small", "12", "12", "12"], ["two", "12", "12", "12"],
    ]  # fmt: skip
    small.write("two.yaml", PROJECT.replace("overlap: 3", "overlap: x"))
    small.write("project.yaml", PROJECT.replace("overlap: 3", "overlap: y"))
    told = small("check", "all.yaml").err
    assert "project.yaml:8:1" in told
    assert "two.yaml:8:1" in told
    small.write("two.yaml", PROJECT.replace("gold: gold", "gold: a").replace("project: small", "project: two"))
    small.write("project.yaml", PROJECT.replace("gold: gold", "gold: b"))
    for command in ("check", "load"):
        told = small(command, "all.yaml").err
        assert "There is no column 'a'" in told
        assert "There is no column 'b'" in told


def test_a_quota_of_a_programme_is_minded_by_what_is_said_of_rules(small: Hromada) -> None:
    """Who gets three items of a project never gives ten answers in a row."""
    small.write("project.yaml", PROJECT + "quality: [{rule: straight_lining, run: 10, consequence: flag}]\n")
    programme = "programme: all\ntitle: t\nlanguage: en\nprojects: [{file: project.yaml%s}]\n"
    small.write("all.yaml", programme % "")
    assert small("check", "all.yaml", "--json").json["weak"] == []
    small.write("all.yaml", programme % ", quota: 3")
    (weak,) = small("check", "all.yaml", "--json").json["weak"]
    assert "one person gets at most 3 items" in weak


@pytest.mark.process
def test_telegram_that_cannot_be_reached_is_told(small: Hromada) -> None:
    """The bot goes on trying, and says so in words."""
    env = {"PATH": "", "HROMADA_TELEGRAM_TOKEN": "1:abc", "HROMADA_TELEGRAM_URL": "http://127.0.0.1:9/bot"}
    bot = subprocess.Popen([small.command, "bot"], cwd=small.folder, env=env, stderr=subprocess.PIPE, text=True)
    assert bot.stderr is not None
    until, told = time.monotonic() + 30, ""
    while "the bot waits, and goes on by itself: Telegram cannot be reached." not in told and time.monotonic() < until:
        told += bot.stderr.readline()
    bot.send_signal(signal.SIGINT)
    bot.communicate(timeout=20)
    assert "the bot waits, and goes on by itself: Telegram cannot be reached. Check the network" in told


def test_a_rate_of_controls_counts_as_it_is_written(small: Hromada) -> None:
    """Seven items with 30 % of control items bring 3 of these, where floats bring a little more: the rule is idle."""
    small.write(
        "project.yaml",
        PROJECT
        + "controls: {pool: {where: {id: ['0', '1', '2', '3', '4']}}, rate: 30 %}\n"
        + "quality: [{rule: control, accuracy: < 50 %, min_controls: 4, consequence: exclude}]\n",
    )
    said = " ".join(small("check", "project.yaml").out.split())
    assert "it waits for 4 answers to control items, and one person meets at most 3." in said
