"""Who wrote the compared texts is in no message, task, preview, case or export that an annotator can see."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from sqlmodel import col, select

from annotation.campaigns import project_file
from annotation.campaigns.project_file import CheckedProject
from annotation.label_studio import decision_payloads, payloads
from annotation.label_studio.configs import decision_config, label_config
from annotation.loading.campaign import read_contents
from annotation.store import queries
from annotation.store.models import Annotator, Assignment, Item
from annotation.vocabulary import AssignmentStatus
from annotation.workflow.annotators import own_data
from annotation.workflow.lifecycle import projects, transitions
from annotation.workflow.review import cases
from annotation.workflow.review.adjudication_queue import OpenCase
from bot import release
from bot.commands import item_preview
from bot.conversation.texts import get_texts

if TYPE_CHECKING:
    from sqlmodel import Session

    from tests.bot.conftest import Chat

MARK = "Zyxgpt"
PROJECT = """\
project: p
title: Tales
language: en
instructions: Read both.
question:
  type: preference
  text: Which tale is better?
  sides: [text_a, text_b]
  systems: [model_a, model_b]
  tie: the same
items: {file: p.jsonl, id: id, show: text, gold: gold, explanation: why, where: {pool: main}}
overlap: 1
stages: {training: {pool: {where: {pool: training}}, explain: yes}}
repeats: {share: 1.0}
"""


def write_project(folder: Path) -> CheckedProject:
    """A project with a training and repeats; the names of systems are nothing that its texts say."""
    rows = [
        {
            "id": f"{pool}{number}", "text": f"About {number}",
            "text_a": f"A cat {number}.", "text_b": f"A dog {number}.",
            "model_a": f"{MARK}-1", "model_b": f"{MARK}-2", "gold": "first", "why": "It is clear.", "pool": pool,
        }
        for pool, number in (("training", 0), ("main", 1), ("main", 2))
    ]  # fmt: skip
    (folder / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "p.yaml").write_text(PROJECT, "utf-8")
    return project_file.read_project(folder / "p.yaml")


def is_waiting(chat: Chat) -> bool:
    """Whether an item waits for its answer."""
    with chat.database.reading() as session:
        return session.exec(select(Assignment).where(Assignment.status == AssignmentStatus.LIVE)).first() is not None


def list_tasks(session: Session, campaign: CheckedProject) -> list[object]:
    """What Label Studio and adjudicators get of every item."""
    definition, made = campaign.definition, list[object]()
    question = definition.all_questions[0]
    for item in session.exec(select(Item)):
        made.append(payloads.build_task(definition, item, assignment_id=1, option_order={"answer": [1, 0, 2]}))
        candidates = cases.list_candidates(
            question, item, votes=["first", "tie"], others=["second"], order_key="k", with_votes=True
        )
        opened = OpenCase(
            case_id=1, item=item, question=question, candidates=candidates, reasons=("tied",), reports=("odd",)
        )
        made.append(decision_payloads.build_case_task(definition, opened, number=1))
    made += [label_config.render_label_config(definition), decision_config.render_review_config(definition)]
    return [*made, decision_config.render_adjudication_config(definition, question)]


async def test_no_annotator_learns_who_wrote_a_text(chat: Chat, tmp_path: Path) -> None:
    """Not in training, at work, in a repeat, after an answer, in one's own data, in Label Studio, nor in a preview."""
    campaign, texts = write_project(tmp_path), get_texts("en")
    with chat.database.transaction() as session:
        projects.load_project_file(session, tmp_path / "p.yaml", now=chat.now)
        transitions.start_project(session, project=queries.get_project(session, "p"), now=chat.now)
    person = chat.person(language="en")
    await chat.send(person, "/start")
    await chat.tap(person, "English")
    await chat.tap(person, texts("begin"))
    seen: list[object] = []
    for _ in range(2):
        while is_waiting(chat):
            seen += [str(one) for one in person.messages]
            message = person.messages[-1]
            await chat.tap(person, message.buttons[0][0])
            seen.append(str(message))
            if not is_waiting(chat) and person.messages[-1].buttons[0][0] == texts("go-on"):
                await chat.tap(person, texts("go-on"))
        chat.now += timedelta(days=1, hours=1)
        await chat.send(person, "/start")
    seen += map(str, person.messages)
    with chat.database.reading() as session:
        answered = session.exec(select(Assignment).where(Assignment.status == AssignmentStatus.DONE)).all()
        assert sum(one.is_repeat for one in answered) == 2
        assert len(answered) == 5
        annotator = session.exec(select(col(Annotator.id))).one()
        seen += [own_data.export_annotator(session, annotator_id=annotator or 0), *list_tasks(session, campaign)]
        data = release.ProjectInputs(view=session, project=queries.get_project(session, "p")).read_data_set()
    seen.append(item_preview.render_first_item(campaign, read_contents(campaign)))
    assert "A cat 1" in str(seen)
    assert MARK not in str(seen)
    assert data.systems == dict.fromkeys(("main1", "main2"), (f"{MARK}-1", f"{MARK}-2"))
    orders = data.responses.groupby("item_id")["option_order"].agg(lambda orders: sorted(map(json.loads, orders)))
    assert list(orders[["main1", "main2"]]) == [[["first", "second"], ["second", "first"]]] * 2
    assert MARK not in data.responses.to_csv()
