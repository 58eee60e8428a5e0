"""Metrics: what Prometheus reads on the health port, and that board and alerts in `docker/` ask for nothing else."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import pytest
from _faulty_telegram import FaultyServer
from prometheus_client.parser import text_string_to_metric_families
from ruamel.yaml import YAML

from annotation.errors import NotWritable, Unavailable
from annotation.workflow.monitoring import campaign_status
from bot import application
from bot.delivery.metrics import METRICS_PATH, DatabaseReader
from bot.delivery.polling import POLLING_LEASE
from bot.delivery.process_lease import LeaseKeeper
from bot.delivery.telegram_api import AiohttpRequest, CallNotSent
from bot.delivery.webhook import HEALTH_PATH, ListenAddress, serve_http

if TYPE_CHECKING:
    from tests.bot.delivery.conftest import Stage

ANY_PORT = ListenAddress(host="127.0.0.1", port=0, field="HROMADA_HEALTH_LISTEN")
DOCKER = Path(__file__).parents[3] / "docker"
TELEGRAM_ID = 700_123_456
LABELS = {
    "hromada_updates_total": {"kind": {"message", "tap"}},
    "hromada_errors_total": {
        "source": {"transaction", "telegram"},
        "kind": {"LookupError", "CallNotSent", "405"},
    },
    "hromada_tap_to_saved_seconds_bucket": {
        "le": {"0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "2.5", "5.0", "10.0", "30.0", "+Inf"}
    },
    "hromada_transactions": {"state": {"running", "waiting"}},
    "hromada_lease_held": {"lease": {"exports", "pacing"}},
    "hromada_waiting": {"queue": {"inbox", "outbox"}},
    "hromada_waiting_seconds": {"queue": {"inbox", "outbox"}},
    "hromada_parked": {"what": {"updates", "messages", "annotations"}},
}
"""All labels of ours, and all values that the story below gives them."""


async def ask(stage: Stage) -> str:
    """What the health port says at /metrics."""
    async with (
        serve_http(application.list_health_routes(stage.app), ANY_PORT) as port,
        aiohttp.ClientSession() as asking,
    ):
        async with asking.get(f"http://127.0.0.1:{port}{HEALTH_PATH}") as response:
            assert response.status == 200
        async with asking.get(f"http://127.0.0.1:{port}{METRICS_PATH}") as response:
            assert (response.status, response.headers["Content-Type"][:10]) == (200, "text/plain")
            return await response.text()


def read_samples(text: str) -> dict[str, dict[tuple[str, ...], float]]:
    """The values by the name of the metric and the values of its labels, in the order of the labels' names."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(value for _, value in sorted(sample.labels.items()))] = sample.value
    return found


async def test_the_metrics_count_a_campaign_and_name_nobody(stage: Stage) -> None:
    """Two answers, an update that is parked, one that waits, and a Telegram that is away and answers again."""
    person = stage.telegram.person(TELEGRAM_ID)
    await stage.say(person, "/start")
    await stage.tap(person, "A")
    await stage.tap(person, "B")
    await stage.say(person, "boom")
    with stage.db.transaction() as session:
        session.connection().exec_driver_sql(
            "INSERT INTO inbox (bot_id, update_id, telegram_id, payload, received_at, attempts) "
            f"VALUES (1, 99, 5, '{{}}', '{stage.now:%Y-%m-%d %H:%M:%S.%f}', 0)"
        )
    measured = stage.app.runner.measurements
    async with AiohttpRequest(measurements=measured) as telegram:
        with pytest.raises(CallNotSent):
            await telegram.do_request("http://127.0.0.1:9/getMe", "POST")
        assert measured.answered_at is None
        async with FaultyServer(stage.telegram) as server:
            assert (await telegram.do_request(f"{server.url}/none", "POST"))[0] == 405
    text = await ask(stage)
    found = read_samples(text)
    assert found["hromada_updates_total"] == {("message",): 2, ("tap",): 2}
    assert (found["hromada_answers_saved_total"][()], found["hromada_tap_to_saved_seconds_count"][()]) == (2, 2)
    assert found["hromada_errors_total"][("LookupError", "transaction")] == 2
    assert found["hromada_messages_sent_total"][()] == 4
    assert found["hromada_parked"] == {("updates",): 1, ("messages",): 0, ("annotations",): 0}
    assert (found["hromada_waiting"][("inbox",)], found["hromada_waiting"][("outbox",)]) == (1, 0)
    assert found["hromada_transactions_limit"][()] == stage.app.runner.size
    assert 0 <= found["hromada_telegram_silent_seconds"][()] < 60
    assert found["process_resident_memory_bytes"][()] > 0
    labels: dict[str, dict[str, set[str]]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            for label, value in sample.labels.items():
                labels.setdefault(sample.name, {}).setdefault(label, set()).add(value)
    assert labels == LABELS
    [(pseudonym, name)] = stage.rows("SELECT a.pseudonym, p.name FROM annotator a, project p")
    assert [word for word in (str(pseudonym), str(name), "Слова", str(TELEGRAM_ID)) if word in text] == []


async def test_a_database_that_is_silent_leaves_the_other_metrics(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked once in ten seconds, however often somebody reads the metrics."""
    asked = []

    def fail(*_: object, **__: object) -> None:
        asked.append(1)
        raise Unavailable("The database does not answer.")

    monkeypatch.setattr(campaign_status, "count_waiting_deliveries", fail)
    reader = DatabaseReader(stage.app.runner)
    assert [await reader.read() for _ in range(3)] == [None] * 3
    assert len(asked) == 1
    found = read_samples(await ask(stage))
    assert found["hromada_database_up"] == {(): 0}
    assert "hromada_waiting" not in found
    assert found["hromada_tap_to_saved_seconds_count"] == {(): 0}


def list_metrics(query: str) -> list[str]:
    """The metrics of ours that a query of Prometheus names."""
    return re.findall(r"\b(?:hromada|process)_\w+", query)


async def test_the_board_asks_for_metrics_that_there_are(stage: Stage) -> None:
    """Each query of the Grafana board names a metric of ours, and each metric of ours has a query."""
    stage.app.runner.measurements.note_response(500)
    stage.app.runner.measurements.note_response(200)
    stage.app.runner.measurements.updates["tap"] += 1
    there = {name for name in read_samples(await ask(stage)) if not name.startswith("python_")}
    panels = json.loads((DOCKER / "grafana.json").read_text("utf-8"))["panels"]
    queries = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    asked = {name for query in queries for name in list_metrics(query)}
    assert asked - there == set()
    unasked = {name for name in there - asked if name.startswith("hromada_")}
    assert {re.sub("_(count|sum|bucket)$", "", name) for name in unasked} <= {"hromada_tap_to_saved_seconds"}


async def test_alerts_ask_for_metrics_that_there_are(stage: Stage) -> None:
    """Each alert names metrics and values of labels that a bot has, how bad it is, what is wrong and what to do."""
    measured = stage.app.runner.measurements
    measured.note_response(HTTPStatus.CONFLICT)
    measured.count_error("transaction", NotWritable.__name__)
    LeaseKeeper(stage.app.runner, POLLING_LEASE)  # the poller has it
    text = await ask(stage)
    there = {sample.name for family in text_string_to_metric_families(text) for sample in family.samples}
    values = {
        (sample.name, *label)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        for label in sample.labels.items()
    }
    [group] = YAML(typ="safe").load(DOCKER / "alerts.yaml")["groups"]
    for rule in group["rules"]:
        query, words = rule["expr"], rule["annotations"]
        asked = list_metrics(query)
        assert asked or "up{" in query, query
        assert set(asked) <= there, query
        for metric, braces in re.findall(r"(hromada_\w+)\{(.*?)\}", query):
            for label, pattern in re.findall(r'(\w+)=~?"(.*?)"', braces):
                assert any((metric, label) == (m, n) and re.fullmatch(pattern, value) for m, n, value in values), query
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert words["summary"].endswith("."), rule["alert"]
        assert words["description"], rule["alert"]
    assert len({rule["alert"] for rule in group["rules"]}) == len(group["rules"]) >= 10
