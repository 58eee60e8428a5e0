"""Who does what, with a real server: e-mails and drafts are asked there, and its absence costs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.annotation.label_studio.sync.test_commands import hromada, started  # noqa: F401  # fixtures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from _label_studio import Account

    from tests.annotation.label_studio.sync.conftest import Command

pytestmark = pytest.mark.slow
SAID = {"from_name": "answer", "to_name": "item:shown", "type": "choices", "value": {"choices": ["так"]}}


def test_an_organiser_sees_who_does_what_and_reminds_them(
    hromada: Command,  # noqa: F811
    accounts: Mapping[str, Account],
) -> None:
    """One of three items is answered and one begun; the e-mail, the pseudonym and the number all name Olha."""
    olha = accounts["olha"]
    assert "Nobody has work in Label Studio yet" in hromada("label-studio", "status")
    pushed = hromada.json("push", "p", "--person", olha.email, "--number", "3")
    with hromada.studio.api(olha.token) as api:
        tasks = api.get("/api/tasks", params={"project": pushed["remote_id"]}).json()["tasks"]
        answered, begun = (task["id"] for task in tasks[:2])
        body = {"result": [SAID], "lead_time": 3.0}
        assert api.post(f"/api/tasks/{answered}/annotations/", json=body).status_code == 201
        assert api.post(f"/api/tasks/{begun}/drafts", json=body).status_code == 201
    hromada("label-studio", "pull")
    (found,) = hromada.json("status", "p", "--person", olha.email.upper())["people"]
    assert (found["email"], found["waiting"], found["begun"], found["answered"]) == (olha.email, 2, 1, 1)
    assert (found["median_seconds"], found["per_hour"], found["late"]) == (3.0, None, 0)
    assert olha.email in hromada("label-studio", "status", "p", "--person", found["annotator"])
    reminder = hromada("label-studio", "remind", "p")
    assert f"To: {olha.email}\nSubject: p: на вас чекають 2 завдання\n" in reminder
    assert found["addresses"][0] in reminder
    assert "Nothing is due so soon." in hromada("label-studio", "remind", "p", "--days", "1")
    nowhere = {"HROMADA_LABEL_STUDIO_URL": "http://127.0.0.1:9"}
    alone = hromada("label-studio", "status", "p", **nowhere)
    assert found["annotator"] in alone
    assert "Label Studio does not answer. E-mails, and what was begun there, are not known now." in alone
