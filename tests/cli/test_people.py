"""People as organisers see them, by the real commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlmodel import Session, col, select

from annotation.store import database, models, overlap_counts, queries
from annotation.store.models import Annotator, Announcement, Assignment, Exposure, Item, Journal, Judgement, Report
from annotation.vocabulary import AssignmentStatus, ExposureCause, ParticipationStatus, Surface
from annotation.workflow import assignments, definitions, participations
from annotation.workflow.annotators import consents, invitations, registration, roster, support_messages
from bot.commands import people

if TYPE_CHECKING:
    from _command import Hromada

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROJECT = """\
project: words
title: Слова
language: uk
question: {type: choice, text: "Чи є таке слово?", options: [так, ні]}
items: {file: items.csv, id: id, show: word}
overlap: 2
reward: {pay: {per_item: 0.50, currency: EUR}}
attestation: {text: "Чи допомагало щось?", options: [ні, словник]}
"""
ANSWER = "ТАЄМНИЦЯ"


def in_database(hromada: Hromada, act: Callable[[Session], str]) -> str:
    """Do something in the folder's database, as the bot would; what it gives."""
    with database.open_database(f"sqlite:///{hromada.folder / 'hromada.db'}") as db, db.transaction() as session:
        return act(session)


def someone(session: Session) -> str:
    """A person with an answer to the first item and a question about it; the pseudonym."""
    person = registration.register_telegram_annotator(session, telegram_id=5, language="uk", key=b"k" * 32, now=NOW)
    project = queries.get_project(session, "words")
    participations.get_or_create_participation(
        database.lock_annotator(session, person.id or 0), project=project, now=NOW
    )
    item = session.exec(select(Item).where(Item.external_id == "1")).one()
    item.free, item.n_live, item.n_done = 1, 1, 1
    made = Assignment(
        project_id=project.id or 0,
        item_id=item.id or 0,
        annotator_id=person.id or 0,
        surface=Surface.TELEGRAM,
        status=AssignmentStatus.DONE,
        holds_place=True,
        shown_at=NOW,
    )
    session.add(made)
    session.flush()
    met = Exposure(
        annotator_id=made.annotator_id,
        group_id=item.group_id,
        project_id=made.project_id,
        cause=ExposureCause.ANSWERED,
        at=NOW,
    )
    session.add(met)
    session.add(Judgement(assignment_id=made.id or 0, response=ANSWER, response_raw=ANSWER, answered_at=NOW))
    support_messages.store_message(
        session, annotator_id=person.id or 0, text="Що таке [хліб]?", now=NOW, assignment_id=made.id
    )
    return person.pseudonym


@pytest.fixture
def who(hromada: Hromada) -> str:
    """A project with somebody in it; the pseudonym."""
    hromada.write("items.csv", "id,word\n1,хліб\n2,хлбі\n")
    hromada.write("project.yaml", PROJECT)
    assert hromada("load", "project.yaml").code == 0
    return in_database(hromada, someone)


def test_an_invitation_is_printed_as_it_is_sent(hromada: Hromada, who: str) -> None:
    """What people write to the bot, or a link where its name is known; the code admits an annotator."""
    made = hromada("invite", "words", "--uses", "20", "--expires", "2999-12-31", "--cohort", "students", "--json")
    assert made.code == 0, made.err
    code = made.json["code"]
    assert re.fullmatch("[a-z2-7]{16}", code)
    assert made.json == {
        "code": code,
        "send": f"/start {code}",
        "for": "annotators",
        "cohort": "students",
        "uses": 20,
        "used": 0,
        "expires": "2999-12-31T22:00+00:00",
    }
    linked = hromada("invite", "project.yaml", env={"HROMADA_TELEGRAM_NAME": "slova_bot"})
    assert re.search(r"https://t\.me/slova_bot\?start=[a-z2-7]{16}", linked.out)

    def redeem(session: Session) -> str:
        person = session.exec(select(Annotator)).one().id or 0
        found = invitations.redeem_invitation(session, annotator_id=person, code=code, now=NOW)
        assert isinstance(found, invitations.RedeemedInvitation)
        return found.target

    assert in_database(hromada, redeem) == "words"
    listed = hromada("invite", "words", "--list", "--json").json
    assert [(one["uses"], one["used"]) for one in listed] == [(20, 1), (None, 0)]
    assert "after 2999-12-31" in " ".join(hromada("invite", "words", "--list").out.split())


BAD_INVITATIONS = [
    (("nothing",), "No project 'nothing' is loaded."),
    (("words", "--uses", "0"), "at least one use"),
    (("words", "--expires", "tomorrow"), "'tomorrow' is not a day."),
    (("words", "--expires", "2999-01-01T10:00"), "is not a day."),
    (("words", "--expires", "2020-01-01"), "in the past"),
    (("words", "--cohort", ""), "A cohort has a name"),
]


def test_a_bad_invitation_is_refused(hromada: Hromada, who: str) -> None:
    """With what is wrong, and nothing is stored."""
    for arguments, problem in BAD_INVITATIONS:
        refused = hromada("invite", *arguments)
        assert (refused.code, refused.out) == (2, "")
        assert problem in refused.err
    assert hromada("invite", "words", "--list", "--json").json == []


def test_the_list_says_how_each_stands(hromada: Hromada, who: str) -> None:
    """The table for people and the same for machines, before and after what organisers decide."""
    table = hromada("people", "words")
    assert table.code == 0, table.err
    for shown in (who, "active", "0.50 EUR"):
        assert shown in table.out
    for arguments in (
        ("team-member", who), ("cohort", who, "students"), ("pay", who, "0.30", "--project", "words"),
        ("suspend", who, "--reason", "копіює [усе]"),
    ):  # fmt: skip
        done = hromada("people", *arguments)
        assert (done.code, done.err) == (0, "")
        assert who in done.out
    assert hromada("people", "project.yaml", "--json").json == {
        "project": "words",
        "people": [
            {
                "pseudonym": who,
                "cohorts": ["students"],
                "panel": None,
                "insider": True,
                "simulated": False,
                "standing": "suspended",
                "why": "копіює [усе]",
                "until": None,
                "stage": "main",
                "items": 1,
                "active_hours": 0.0,
                "control_right": 0,
                "control_answered": 0,
                "control_accuracy": None,
                "owed": "0.50 EUR",
                "paid": ["0.30 EUR"],
            }
        ],
        "paid_per_active_hour": [],
    }
    assert "копіює [усе]" in hromada("people", "words").out
    for arguments in (("unsuspend", who), ("team-member", who, "--no"), ("cohort", who, "students", "--remove")):
        assert hromada("people", *arguments).code == 0
    after = hromada("people", "list", "words", "--json").json["people"][0]
    assert (after["standing"], after["insider"], after["cohorts"]) == ("active", False, [])


def test_a_negative_amount_takes_a_payment_back(hromada: Hromada, who: str) -> None:
    """As the help says: before or after the options, with a point or a comma."""
    for arguments in (("0.80",), ("-0.30",), ("--note", "-1", "-0,20")):
        noted = hromada("people", "pay", who, "--project", "words", *arguments)
        assert (noted.code, noted.err) == (0, "")
    assert hromada("people", "pay", who, "-0.10", "--project", "words").code == 0
    assert hromada("people", "words", "--json").json["people"][0]["paid"] == ["0.20 EUR"]


IMPOSSIBLE = [
    (("nothing",), "No project 'nothing' is loaded."),
    (("suspend", "nobody", "--reason", "x"), "Nobody has the pseudonym 'nobody'."),
    (("suspend", "WHO", "--reason", " "), "A reason is required"),
    (("pay", "WHO", "many", "--project", "words"), "'many' is not an amount."),
    (("pay", "WHO", "-x", "--project", "words"), "'-x' is not an amount."),
    (("pay", "WHO", "5", "--project", "words", "--curency", "EUR"), "--curency"),
    (("pay", "WHO", "5", "--project", "words", "--currency", "UAH"), "words pays in EUR."),
    (("forget", "WHO"), "cannot be undone"),
    (("detach", "words", "--yes"), "Close it first: hromada close words"),
    (("data", "nobody"), "Nobody has the pseudonym 'nobody'."),
]


def test_what_cannot_be_done_changes_nothing(hromada: Hromada, who: str) -> None:
    """A sentence, exit code 2."""
    before = hromada("people", "words", "--json").json
    for arguments, problem in IMPOSSIBLE:
        refused = hromada("people", *(who if one == "WHO" else one for one in arguments))
        assert (refused.code, refused.out) == (2, "")
        assert problem in refused.err
    assert hromada("people", "words", "--json").json == before


def test_a_person_gets_their_data_withdraws_and_is_forgotten(hromada: Hromada, who: str) -> None:
    """The answer is in the data, counts no more after the withdrawal, and is nowhere after the erasure."""
    held = hromada("people", "data", who)
    assert held.json["assignments"][0]["answers"][0]["response"] == ANSWER
    out = hromada("people", "withdraw", who, "--project", "words")
    assert "1 answer excluded, 1 place free." in out.out
    assert hromada("people", "words", "--json").json["people"][0]["standing"] == "withdrawn"
    gone = hromada("people", "forget", who, "--yes")
    assert (gone.code, gone.err) == (0, "")
    assert "1 judgement and 1 message emptied in 1 project." in gone.out
    listed = hromada("people", "words", "--json").json["people"]
    assert [(one["standing"], one["pseudonym"] == who) for one in listed] == [("forgotten", False)]
    assert hromada("messages", "--json").json == []
    assert ANSWER.encode() not in (hromada.folder / "hromada.db").read_bytes()


def test_the_people_of_a_closed_project_are_detached(hromada: Hromada, who: str) -> None:
    """Told when they are due; first who goes and who stays, then done, and said again without harm. The database stays
    well, the answer and what was paid stay.
    """
    hromada.write("project.yaml", PROJECT + "declared: {retention: 1 d}\ninstructions: Порахуйте.\n")
    assert hromada("load", "project.yaml", "--yes").code == 0
    assert hromada("start", "words").code == 0
    assert "people detach" not in hromada("status", "words").out
    assert hromada("close", "words").code == 0
    assert "hromada people detach words" in " ".join(hromada("status", "words").out.split())
    asked = hromada("people", "detach", "words")
    assert (asked.code, "To detach from words: 1 annotator." in asked.out) == (2, True)
    assert hromada("people", "words", "--json").json["people"][0]["pseudonym"] == who
    before = hromada("status", "words", "--json").json
    done = hromada("people", "detach", "words", "--yes")
    assert (done.code, "Detached from words: 1 annotator." in done.out) == (0, True)
    (person,) = hromada("people", "words", "--json").json["people"]
    assert (person["standing"], person["items"], person["pseudonym"] == who) == ("detached", 1, False)
    after = hromada("status", "words", "--json").json
    assert {key for key in before if before[key] != after[key]} == {"detach by", "needs"}
    assert "0 annotators. 1 were before." in hromada("people", "detach", "words", "--yes").out
    checked = hromada("database", "check", "--json").json
    assert [(one["rule"], one["examples"]) for one in checked if one["wrong"]] == []
    assert hromada("people", "forget", person["pseudonym"], "--yes").code == 2


def test_withdrawing_an_annotator_takes_back_their_consent_to_the_project(hromada: Hromada, who: str) -> None:
    """As their own /withdraw does: the data that are held of them say when."""
    hromada.write("consent.md", "Ваші відповіді будуть опубліковані.")
    hromada.write("project.yaml", PROJECT + "consent: {file: consent.md, version: 1}\n")
    assert hromada("load", "project.yaml", "--yes").code == 0

    def agree(session: Session) -> str:
        person = session.exec(select(Annotator).where(Annotator.pseudonym == who)).one().id or 0
        project = queries.get_project(session, "words")
        asked = definitions.get_terms(session, project=project, definition=definitions.get_project_definition(project))
        assert asked.consent is not None
        consents.give_consent(session, annotator_id=person, terms=asked, sha256=asked.consent.sha256, now=NOW)
        return who

    in_database(hromada, agree)
    assert [one["withdrawn_at"] for one in hromada("people", "data", who).json["consents"]] == [None]
    assert hromada("people", "withdraw", who, "--project", "words").code == 0
    assert None not in [one["withdrawn_at"] for one in hromada("people", "data", who).json["consents"]]


def test_an_answer_to_all_is_added_to_the_instructions(hromada: Hromada, who: str) -> None:
    """Once, as a new version; a question about no project has no instructions, and nothing is changed then."""
    answered = hromada("messages", "answer", "1", "Це їжа.", "--to-all")
    assert answered.code == 0, answered.err
    assert "It is part of the instructions now." in answered.out
    assert in_database(hromada, lambda session: queries.get_project(session, "words").instructions) == "Це їжа."

    def ask_in_general(session: Session) -> str:
        annotator = session.exec(select(Annotator)).one()
        return str(support_messages.store_message(session, annotator_id=annotator.id or 0, text="Хто ви?", now=NOW).id)

    number = in_database(hromada, ask_in_general)
    refused = hromada("messages", "answer", number, "Ми.", "--to-all")
    assert (refused.code, "is about no project" in refused.err) == (2, True)
    assert [one["id"] for one in hromada("messages", "--json").json] == [int(number)]


def test_a_message_to_all_is_sent_once_it_is_confirmed(hromada: Hromada, who: str) -> None:
    """Before, it is said to how many it would go; whoever has left gets none."""
    told = hromada("messages", "send", "Дякуємо!", "--to", "words")
    assert (told.code, "It would go to 1 person" in told.err) == (2, True)
    assert in_database(hromada, lambda session: str(session.exec(select(Announcement)).all())) == "[]"
    assert "It goes to 1 person" in hromada("messages", "send", "Дякуємо!", "--yes").out
    assert [one["text"] for one in hromada("messages", "waiting", "--json").json] == ["Дякуємо!"]
    assert hromada("messages", "send", "", "--yes").code == 2
    assert "The bot has no command /leave." in hromada("messages", "send", "Дякуємо! /leave", "--yes").err
    assert "No project 'wards' is loaded." in hromada("messages", "send", "Дякуємо!", "--to", "wards", "--yes").err
    assert hromada("people", "withdraw", who, "--project", "words").code == 0
    assert "Nobody would get it" in hromada("messages", "send", "Дякуємо!", "--yes").err


def test_items_in_hand_are_taken_back(hromada: Hromada, who: str) -> None:
    """The place is free for others; if nothing is assigned to them, the error names who has the item."""
    refused = hromada("people", "release", who, "--project", "words")
    assert (refused.code, f"No item of words is assigned to {who}." in refused.err) == (2, True)
    named = ("people", "release", who, "--project", "words", "--item", "2")
    assert f"'2' is not assigned to {who} in words: nobody has it now." in hromada(*named).err

    def hand_out(session: Session) -> str:
        annotator = session.exec(select(Annotator)).one()
        for number, surface in (("1", Surface.LABEL_STUDIO), ("2", Surface.TELEGRAM)):
            item = session.exec(select(Item).where(Item.external_id == number)).one()
            item.free, item.n_live = item.free - 1, item.n_live + 1
            session.add(
                Assignment(
                    project_id=item.project_id, item_id=item.id or 0, annotator_id=annotator.id or 0,
                    surface=surface, status=AssignmentStatus.LIVE, holds_place=True, shown_at=NOW, occasion=1,
                )
            )  # fmt: skip
        return item.external_id

    assert in_database(hromada, hand_out) == "2"
    told = hromada("people", "release", who, "--project", "words")
    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines() == [
        f"2 items taken back from {who}: 1 in Telegram, 1 in Label Studio.",
        "The queue in Label Studio follows at the next push, pull or watch.",
    ]

    def count_free(session: Session) -> str:
        return str(session.exec(select(Item.free).where(Item.external_id == "2")).one())

    assert in_database(hromada, count_free) == "2"

    def hand_to_another(session: Session) -> str:
        held = session.exec(select(Assignment).join(Item).where(Item.external_id == "2")).one()
        other = Annotator(pseudonym="other", created_at=NOW)
        session.add(other)
        session.flush()
        held.annotator_id, held.status = other.id or 0, AssignmentStatus.LIVE
        return other.pseudonym

    assert in_database(hromada, hand_to_another) == "other"
    refused = hromada(*named)
    assert f"'2' is not assigned to {who} in words: other has it." in refused.err
    assert "Take it back from them: `hromada people release other --project words --item 2`." in refused.err


def test_messages_are_listed_and_answered(hromada: Hromada, who: str) -> None:
    """With the item that they are about; an answered one is listed with --all only."""
    table = hromada("messages")
    assert table.code == 0, table.err
    for shown in ("Що таке [хліб]?", who, "words"):
        assert shown in table.out
    answered = hromada("messages", "answer", "1", "Це їжа.")
    assert (answered.code, answered.err) == (0, "")
    assert hromada("messages", "words", "--json").json == []
    assert hromada("messages", "--all", "--json").json == [
        {
            "id": 1,
            "at": "2026-11-21T12:00+00:00",
            "pseudonym": who,
            "project": "words",
            "item": "1",
            "text": "Що таке [хліб]?",
            "answer": "Це їжа.",
            "delivered": False,
        }
    ]
    assert "There is no message 7." in hromada("messages", "answer", "7", "Так.").err


def test_whoever_was_paused_is_readmitted(hromada: Hromada, who: str) -> None:
    """The annotator goes on; a second readmission has nothing to do."""

    def pause(session: Session) -> str:
        person = session.exec(select(Annotator)).one()
        row = participations.get_participation(database.lock_annotator(session, person.id or 0), project_id=1)
        assert row is not None
        models.PARTICIPATIONS.update(session, row, status=ParticipationStatus.PAUSED)
        return ""

    in_database(hromada, pause)
    assert [one["standing"] for one in hromada("people", "words", "--json").json["people"]] == ["paused"]
    let = hromada("people", "readmit", who, "--project", "words")
    assert (let.code, let.out) == (0, f"{who} may go on in words. 0 answers counted again.\n")
    assert [one["standing"] for one in hromada("people", "words", "--json").json["people"]] == ["active"]
    assert hromada("people", "readmit", who, "--project", "words").code == 2


def test_reports_are_listed_and_dismissed(hromada: Hromada, who: str) -> None:
    """With what was said; afterwards the item is handed out again."""

    def report(session: Session) -> str:
        made = session.exec(select(Assignment)).one()
        session.add(
            Report(item_id=made.item_id, annotator_id=1, assignment_id=made.id or 0, reason="двозначно", at=NOW)
        )
        overlap_counts.pause_item(session, item_id=made.item_id)
        return ""

    assert "Nothing is reported." in hromada("messages", "reports").out
    in_database(hromada, report)
    assert "двозначно" in hromada("messages", "reports", "words").out
    found = hromada("messages", "reports", "--json").json
    assert [(one["item"], one["paused"], one["reason"]) for one in found] == [("1", True, "двозначно")]
    assert hromada("messages", "dismiss", "words", "1").code == 0
    assert hromada("messages", "reports", "--json").json == []
    assert hromada("messages", "dismiss", "words", "1").code == 2
    assert hromada("status", "words", "--json").json["items paused"] == 0


def test_every_command_about_people_is_described() -> None:
    """The page about people names each with what it does."""
    page = (Path(__file__).parents[2] / "docs/reference/people-records.md").read_text("utf-8")
    for command in people.app.registered_commands:
        name = command.name or getattr(command.callback, "__name__", "")
        assert f"`people {name}" in page


STRICT = """\
project: strict
title: Слова
language: uk
instructions: Читайте.
question: {type: choice, text: "Чи є таке слово?", options: [так, ні]}
items: {file: items.csv, id: id, show: word}
overlap: 1
consent: {file: consent.md, version: 3}
profile: [{name: age, type: number, text: "Скільки вам років?", required: yes}]
content_warning: Тут лаються.
"""


def test_whoever_works_in_label_studio_only_agrees_on_paper(hromada: Hromada) -> None:
    """Nothing is handed out before; then consent, profile and warning stand with their hashes, and how they came."""
    hromada.write("items.csv", "id,word\n1,хліб\n2,хлбі\n")
    hromada.write("consent.md", "Я згодна.")
    hromada.write("strict.yaml", STRICT)
    assert hromada("load", "strict.yaml").code == 0
    assert hromada("start", "strict").code == 0
    code = in_database(hromada, label_studio_only)
    assert in_database(hromada, lambda session: handed(session, code)) == "consent"
    agree = ("people", "agree", code, "--project", "strict", "--how", "signed, folder 3")
    ran = hromada(*agree)
    assert (ran.code, "Not said yet: age." in ran.err) == (2, True), ran.err
    assert "not a number" in hromada(*agree, "--profile", "age=багато").err
    assert "asks for no height" in hromada(*agree, "--profile", "age=34", "--profile", "height=2").err
    assert "lets nobody in: unknown" in hromada(*agree, "--profile", "age=34", "--code", "abc").err
    assert in_database(hromada, lambda session: handed(session, code)) == "consent"
    ran = hromada(*agree, "--profile", "age=34")
    told = f"Noted of {code}: the consent to project strict, version 3 ("
    assert (ran.code, ran.out[: len(told)]) == (0, told), ran.err
    assert "age, the content warning." in ran.out
    assert hromada(*agree).out == f"Nothing is asked of {code}.\n"
    assert in_database(hromada, hows) == "consent given: signed, folder 3; warning accepted: signed, folder 3"
    assert in_database(hromada, lambda session: handed(session, code)) == "2"


def test_whoever_has_telegram_agrees_there_themselves(hromada: Hromada, who: str) -> None:
    """Nobody agrees for them."""
    ran = hromada("people", "agree", who, "--project", "words", "--how", "they said so")
    assert (ran.code, "They agree to it there themselves." in ran.err) == (2, True)


def label_studio_only(session: Session) -> str:
    """Somebody without Telegram; the pseudonym."""
    return registration.register_label_studio_annotator(
        session, account="here 7", annotator_id=None, key=b"k" * 32, now=NOW
    ).pseudonym


def handed(session: Session, pseudonym: str) -> str:
    """Why no batch is assigned, else how many items it has."""
    who = roster.get_annotator(session, pseudonym).id or 0
    project = queries.get_project(session, "strict").id or 0
    batch = assignments.assign_batch(
        assignments.lock_annotator(session, who), project_id=project, n_items=2, now=datetime.now(UTC)
    )
    return batch.shortfall.reason.value if batch.shortfall else str(len(batch.assignment_ids))


def hows(session: Session) -> str:
    """What the journal has on how people agreed."""
    found = session.exec(select(Journal).order_by(col(Journal.id))).all()
    return "; ".join(f"{one.event}: {one.data['how']}" for one in found if one.data and "how" in one.data)
