"""Projects that somebody made by hand in Label Studio: adopted with their people, and followed by the same pull."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from annotation.errors import BadInput
from annotation.label_studio.client import Client

if TYPE_CHECKING:
    from _label_studio import Account, Studio

    from tests.annotation.label_studio.sync.conftest import Command

pytestmark = pytest.mark.slow

CONFIG = """<View>
  <Text name="text" value="$text"/>
  <Header value="How does it feel?"/>
  <Choices name="mood" toName="text" required="true"><Choice value="sad"/><Choice value="calm" alias="c"/></Choices>
  <Taxonomy name="topic" toName="text">
    <Choice value="Life"><Choice value="Animals"/><Choice value="Plants"/></Choice><Choice value="Weather"/>
  </Taxonomy>
  <Rating name="quality" toName="text" maxRating="4"/>
  <Labels name="part" toName="text"><Label value="place"/><Label value="who"/></Labels>
  <TextArea name="why" toName="text"/>
  <Choices name="sure" toName="text" perRegion="true"><Choice value="yes"/><Choice value="no"/></Choices>
  <DateTime name="day" toName="text" only="date"/>
</View>"""
TEXT = "Rain falls on the old town, and a dog waits."


@pytest.fixture
def backend() -> str:
    """The command has a database of its own."""
    return "sqlite"


def answer(
    mood: str, topic: Sequence[Sequence[str]], rating: int, *parts: tuple[int, int, str], why: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """An annotation as the browser sends it."""
    values: list[tuple[str, str, dict[str, Any]]] = [
        ("mood", "choices", {"choices": [mood]}),
        ("topic", "taxonomy", {"taxonomy": [list(path) for path in topic]}),
        ("quality", "rating", {"rating": rating}),
        *(
            ("part", "labels", {"start": start, "end": end, "text": TEXT[start:end], "labels": [label]})
            for start, end, label in parts
        ),
        *([("why", "textarea", {"text": list(why)})] if why else []),
    ]
    return [
        {"id": f"r{n}", "from_name": name, "to_name": "text", "type": kind, "value": value}
        for n, (name, kind, value) in enumerate(values)
    ]


def make_project(studio: Studio, config: str, tasks: Sequence[Mapping[str, Any]]) -> tuple[int, list[int]]:
    """Make a project as people do; its number and those of its tasks."""
    with studio.api() as api:
        made = api.post("/api/projects", json={"title": "Погода в місті", "label_config": config})
        assert made.status_code == 201, made.text
        number = int(made.json()["id"])
        taken = api.post(f"/api/projects/{number}/import?return_task_ids=true", json=list(tasks))
        assert taken.status_code == 201, taken.text
    return number, list(taken.json()["task_ids"])


def say(studio: Studio, account: Account, task: int, **body: Any) -> int:
    """Annotate a task with an account."""
    with studio.api(account.token) as api:
        made = api.post(f"/api/tasks/{task}/annotations/", json={"lead_time": 5.0, "result": []} | body)
        assert made.status_code == 201, made.text
        return int(made.json()["id"])


def test_a_project_by_hand_and_two_people_give_agreement_in_three_commands(
    command: Callable[[Path], Command],
    tmp_path: Path,
    label_studio: Studio,
    accounts: Mapping[str, Account],
) -> None:
    """All five controls are read; what no question type is like is named; what changes later comes with a pull."""
    olha, taras = accounts["olha"], accounts["taras"]
    number, tasks = make_project(label_studio, CONFIG, [{"data": {"text": TEXT, "n": n}} for n in range(120)])
    firsts = [
        say(label_studio, olha, task, result=answer("sad", [["Life", "Animals"]], 3, (14, 26, "place"), why=["rain"]))
        for task in tasks[:8]
    ]
    for task in tasks[:8]:
        mood = "sad" if task in tasks[:6] else "c"
        say(label_studio, taras, task, result=answer(mood, [["Life", "Animals"], ["Weather"]], 4, (14, 26, "place")))
    say(label_studio, taras, tasks[8], result=[], was_cancelled=True)
    say(label_studio, taras, tasks[9], result=answer("c", [["Weather"]], 1, why=["one", "two"]))
    say(label_studio, taras, tasks[10], result=answer("furious", [["Weather"]], 1))
    say(label_studio, taras, tasks[0], result=answer("c", [["Weather"]], 1), ground_truth=True)
    with label_studio.api(olha.token) as api:
        api.post(f"/api/tasks/{tasks[11]}/drafts", json={"result": answer("sad", [], 2), "lead_time": 1.0})
        api.post("/api/predictions", json={"task": tasks[11], "result": answer("sad", [], 2)})

    run = command(tmp_path)
    adopted = run.json("adopt", f"{label_studio.url}/projects/{number}/data?tab=3", "mood")

    assert adopted["items"] == 120
    assert {row["account"]: row["answered"] for row in adopted["people"]} == {olha.email: 8, taras.email: 11 - 1}
    assert adopted["left_out"] == ["sure (Choices for each marked part)", "day (DateTime)"]
    assert adopted["pulled"]["answered"] == 17
    assert list(adopted["pulled"]["set_aside"].values()) == [1]
    assert "furious" in next(iter(adopted["pulled"]["set_aside"]))
    assert adopted["not_answers"]["Predictions of models"] == 1
    text = (tmp_path / "mood" / "project.yaml").read_text("utf-8")
    assert "options: [Life, Life / Animals, Life / Plants, Weather]" in text
    assert olha.email not in text + (tmp_path / "mood" / "items.jsonl").read_text("utf-8")
    assert "The others, by --question: " in run("agreement", "mood")
    measured = json.loads(run("agreement", "mood", "--json"))
    assert measured
    again = run.json("pull", "mood")[0]
    assert (again["answered"], again["changed"], again["deleted"]) == (0, 0, 0)

    with label_studio.api(olha.token) as api:
        body = {"result": answer("c", [["Life", "Plants"]], 2)}
        assert api.patch(f"/api/annotations/{firsts[0]}/", json=body).status_code == 200
        assert api.delete(f"/api/annotations/{firsts[1]}/").status_code == 204
        new = api.post(f"/api/projects/{number}/import?return_task_ids=true", json=[{"data": {"text": "Sun."}}]).json()
    say(label_studio, accounts["ivan"], new["task_ids"][0], result=answer("c", [["Weather"]], 4))
    after = run.json("pull", "mood")[0]
    assert (after["answered"], after["changed"], after["deleted"], after["unknown_tasks"]) == (1, 1, 1, 0)
    assert len((tmp_path / "mood" / "items.jsonl").read_text("utf-8").splitlines()) == 121
    assert "no wrong" not in run("database", "check")
    assert run.json("adopt", str(number))["new"] is False

    for task in tasks[2:6]:
        say(label_studio, accounts["ivan"], task, result=answer("sad", [["Weather"]], 3))
    assert run.json("pull", "mood")[0]["answered"] == 4
    several = json.loads(run("agreement", "mood", "--json"))
    first = several["coefficients"][0]
    assert (first["n_annotators"], first["n_votes"]) == (3, 18), "somebody who answers later counts as well"

    forgotten = next(row["annotator"] for row in adopted["people"] if row["account"] == olha.email)
    run("people", "forget", forgotten, "--yes")
    assert run.json("pull", "mood")[0]["answered"] == 0
    with label_studio.api() as api:
        left = {one["completed_by"] for task in tasks[:8] for one in api.get(f"/api/tasks/{task}/annotations/").json()}
    assert left == {taras.id, accounts["ivan"].id}


def test_a_server_calls_this_machine_and_no_other_private_address(
    command: Callable[[Path], Command], tmp_path: Path, label_studio: Studio, accounts: Mapping[str, Account]
) -> None:
    """As `up` starts it; the refusal names the cause, and an import by file of an adopted project is refused.

    Label Studio 1.20 calls every address.
    """
    number, tasks = make_project(label_studio, CONFIG, [{"data": {"text": TEXT}}])
    say(label_studio, accounts["olha"], tasks[0], result=answer("sad", [["Weather"]], 3))
    with Client(label_studio.url, label_studio.token) as client:
        client.delete_webhook(client.create_webhook(number, url="http://127.0.0.1:9/", secret={}).id)
        calls_all = client.get_version().startswith("1.20.")
        with nullcontext() if calls_all else pytest.raises(BadInput, match="calls no private address"):
            client.create_webhook(number, url="http://10.0.0.1:9/", secret={})
    run = command(tmp_path)
    run("label-studio", "adopt", str(number), "seen")
    assert "calls no private" not in run("label-studio", "doctor")
    (tmp_path / "export.json").write_text("[]", "utf-8")
    assert "come from a project in Label Studio" in run("import", "seen", "export.json", code=2)
    assert "hromada made" not in run("label-studio", "adopt", "999999", code=2)
