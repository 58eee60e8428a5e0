"""Items that are fixed while they wait in a batch: nobody works in vain, and no answer is lost."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from annotation.campaigns import project_file as project_files
from annotation.loading import campaign as loading
from annotation.workflow.lifecycle import item_fixes

if TYPE_CHECKING:
    from tests.annotation.label_studio.sync.conftest import Workspace

YES, NO = "так", "ні"


@pytest.fixture
def backend() -> str:
    """One database is enough here."""
    return "sqlite"


def fix(workspace: Workspace, item: str, *, cosmetic: bool) -> None:
    """Change the item's text in the file, and take it over."""
    path = workspace.folder / "p.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        if row["id"] == item:
            row["text"] = f"Виправлене {item}."
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    campaign = project_files.read_project(workspace.folder / "p.yaml")
    with workspace.db.transaction() as session:
        contents = loading.read_contents(campaign)
        item_fixes.fix_item(session, campaign, contents, item=item, cosmetic=cosmetic, now=datetime.now(UTC))


def shown(workspace: Workspace) -> dict[str, str]:
    """What the tasks of the batch show there that are offered or answered, by item."""
    with workspace.studio.api() as api:
        found = api.get("/api/tasks", params={"project": workspace.batch().remote_id, "fields": "all"}).json()["tasks"]
    offered = [task for task in found if task["annotations"] or not task["is_labeled"]]
    return {task["data"]["item"]: task["data"]["shown"] for task in offered}


def test_the_next_push_shows_a_fixed_item_as_it_is_and_takes_a_superseded_one_away(workspace: Workspace) -> None:
    """What was answered there meanwhile stays, and comes back with the reason why it does not count."""
    workspace.campaign(items=4, overlap=1)
    workspace.person("olha")
    workspace.push("olha", 4)
    tasks = {item: task for task, item in workspace.items().items()}
    fix(workspace, "p-1", cosmetic=True)
    fix(workspace, "p-2", cosmetic=False)
    fix(workspace, "p-3", cosmetic=False)
    workspace.say("olha", tasks["p-3"], NO)
    pushed = workspace.push("olha", 4)
    assert (pushed.in_hand, pushed.sent) == (2, 0)  # two items wait; an annotator who met an item does not get it again
    there = shown(workspace)
    assert sorted(there) == ["p-1", "p-3", "p-4"]
    assert "Виправлене p-1." in there["p-1"]
    assert "Речення 3." in there["p-3"]
    workspace.say("olha", tasks["p-1"])
    workspace.say("olha", tasks["p-4"])
    workspace.pull()
    workspace.push("olha", 4)
    assert [one[1:4] + one[5:] for one in workspace.answers()] == [
        ("p-1", 0, YES, None), ("p-3", 0, NO, "the item was changed: revision 2"), ("p-4", 0, YES, None),
    ]  # fmt: skip
    assert sorted(shown(workspace)) == ["p-1", "p-3", "p-4"]
    workspace.well()


def test_an_answer_to_an_item_that_was_fixed_in_its_looks_only_counts(workspace: Workspace) -> None:
    """Also where no push came between."""
    workspace.campaign(items=1, overlap=1)
    workspace.person("olha")
    workspace.push("olha", 1)
    (task,) = workspace.tasks()
    fix(workspace, "p-1", cosmetic=True)
    workspace.say("olha", task)
    workspace.pull()
    assert [one[3:] for one in workspace.answers()] == [(YES, None, None)]


def test_a_task_that_was_deleted_there_hinders_no_push(workspace: Workspace) -> None:
    """Neither of an item that was fixed in its looks, nor of a superseded one."""
    workspace.campaign(items=2, overlap=1)
    workspace.person("olha")
    workspace.push("olha", 2)
    fix(workspace, "p-1", cosmetic=True)
    fix(workspace, "p-2", cosmetic=False)
    with workspace.studio.api() as api:
        for task in workspace.tasks():
            assert api.delete(f"/api/tasks/{task}/").status_code == 204
    assert workspace.push("olha", 2).in_hand == 1


@pytest.mark.slow
def test_a_correction_begins_with_the_fixed_text(workspace: Workspace) -> None:
    """Its field shows the prediction of the task, which is replaced together with what the task shows."""
    workspace.campaign(items=1, overlap=1, question={"type": "edit", "text": "Виправте.", "field": "text"})
    workspace.person("olha")
    workspace.push("olha", 1)
    (task,) = workspace.tasks()
    fix(workspace, "p-1", cosmetic=True)
    workspace.push("olha", 1)
    with workspace.studio.api() as api:
        (prediction,) = api.get(f"/api/tasks/{task}").json()["predictions"]
    assert [region["value"]["text"] for region in prediction["result"]] == [["Виправлене p-1."]]
