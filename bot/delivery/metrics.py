"""GET /metrics: the measurements of one process and the state of its database, in the format of Prometheus.

It is on the port of the health route alone. Labels are words of this program, such as a kind of update or the name of a
class, so that no pseudonym, chat or project can be in one. Only a bot that has this port imports this module, and
Prometheus's client with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from time import monotonic

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from annotation.store import judgements
from annotation.workflow.monitoring import campaign_status
from annotation.workflow.monitoring.campaign_status import WaitingDeliveries
from bot.delivery.limits_and_retries import Failure, catch_failure
from bot.delivery.transaction_runner import SAVED_SECONDS, Measurements, TransactionRunner

METRICS_PATH = "/metrics"
READ_SECONDS = 2.0
"""Seconds that the database has to say what waits; after them the other metrics are reported without that."""
KEPT_SECONDS = 10.0
"""Seconds for which an answer of the database is used again, whoever asks how often."""


@dataclass(frozen=True)
class DatabaseCounts:
    """What waits in the database, and the number of the answer that was stored last."""

    waiting: WaitingDeliveries
    last_answer: int


@dataclass
class DatabaseReader:
    """Counts in the database, on a thread of its own, one reading at a time.

    A reading that takes longer than READ_SECONDS goes on; whoever asks next waits for the same one.
    """

    runner: TransactionRunner
    _reading: asyncio.Task[DatabaseCounts | Failure] | None = None
    _begun_at: float = 0.0

    async def read(self) -> DatabaseCounts | None:
        """The counts, not older than KEPT_SECONDS; None where the database does not say so in time."""
        if self._reading is None or (self._reading.done() and monotonic() - self._begun_at > KEPT_SECONDS):
            self._begun_at = monotonic()
            self._reading = asyncio.create_task(catch_failure(asyncio.to_thread(self._count)))
        await asyncio.wait([self._reading], timeout=READ_SECONDS)
        found = self._reading.result() if self._reading.done() else None
        return None if isinstance(found, Failure) else found

    def _count(self) -> DatabaseCounts:
        with self.runner.database.reading() as view:
            waiting = campaign_status.count_waiting_deliveries(view, now=self.runner.database_clock())
            return DatabaseCounts(waiting, judgements.find_last_answer(view)[0])


@dataclass(eq=False)
class BotCollector:
    """Makes the metrics of a process, which Prometheus's client writes; `counts` were read last."""

    runner: TransactionRunner
    counts: DatabaseCounts | None = None

    def collect(self) -> Iterator[Metric]:
        """All metrics; those of the database only if it answers."""
        measured = self.runner.measurements
        yield from _collect_counters(measured)
        yield _build_histogram(measured)
        yield from self._collect_process(measured)
        yield GaugeMetricFamily(
            "hromada_database_up", "Whether the database answered in time", int(self.counts is not None)
        )
        if self.counts is not None:
            yield CounterMetricFamily(
                "hromada_answers_saved",
                "Answers, changed answers and skips stored, by all processes",
                self.counts.last_answer,
            )
            yield from self._collect_waiting(self.counts.waiting)

    def _collect_process(self, measured: Measurements) -> Iterator[Metric]:
        waiting, running = self.runner.count_use_cases()
        transactions = GaugeMetricFamily(
            "hromada_transactions", "Transactions of this process, by state", labels=["state"]
        )
        transactions.add_metric(["running"], running)
        transactions.add_metric(["waiting"], waiting)
        yield transactions
        yield GaugeMetricFamily(
            "hromada_transactions_limit", "Transactions that this process runs at once at most", self.runner.size
        )
        leases = GaugeMetricFamily("hromada_lease_held", "Whether this process holds the lease", labels=["lease"])
        for name, is_held in sorted(measured.leases.items()):
            leases.add_metric([name], int(is_held()))
        yield leases
        if measured.answered_at is not None:
            since = monotonic() - measured.answered_at
            yield GaugeMetricFamily(
                "hromada_telegram_silent_seconds", "Seconds since Telegram answered this process", since
            )

    def _collect_waiting(self, waiting: WaitingDeliveries) -> Iterator[Metric]:
        now = self.runner.database_clock()
        count = GaugeMetricFamily(
            "hromada_waiting", "Updates to handle and messages to send, of all processes", labels=["queue"]
        )
        age = GaugeMetricFamily(
            "hromada_waiting_seconds", "Age of the oldest of them; 0 where nothing waits", labels=["queue"]
        )
        for queue, number, oldest in (
            ("inbox", waiting.updates, waiting.oldest_update),
            ("outbox", waiting.messages, waiting.oldest_message),
        ):
            count.add_metric([queue], number)
            age.add_metric([queue], max(0.0, (now - oldest).total_seconds()) if oldest is not None else 0.0)
        yield from (count, age)
        parked = GaugeMetricFamily(
            "hromada_parked", "What waits for somebody to decide, see hromada delivery list", labels=["what"]
        )
        for what in ("updates", "messages", "annotations"):
            parked.add_metric([what], getattr(waiting.parked, what))
        yield parked


@dataclass
class MetricsReporter:
    """Answers GET /metrics from a registry of its own."""

    runner: TransactionRunner
    _reader: DatabaseReader = field(init=False)

    def __post_init__(self) -> None:
        self._reader, self._collector = DatabaseReader(self.runner), BotCollector(self.runner)
        self._registry = CollectorRegistry()
        self._registry.register(self._collector)
        ProcessCollector(registry=self._registry)  # processor time, memory, open files

    def list_routes(self) -> tuple[web.RouteDef, ...]:
        """The route of the metrics."""
        return (web.get(METRICS_PATH, self._report_metrics),)

    async def _report_metrics(self, _: web.Request) -> web.Response:
        self._collector.counts = await self._reader.read()
        return web.Response(body=generate_latest(self._registry), headers={"Content-Type": CONTENT_TYPE_LATEST})


def _collect_counters(measured: Measurements) -> Iterator[Metric]:
    updates = CounterMetricFamily("hromada_updates", "Updates stored, by kind", labels=["kind"])
    for kind, number in sorted(measured.updates.items()):
        updates.add_metric([kind], number)
    errors = CounterMetricFamily(
        "hromada_errors", "Failures, by where they happened and of what kind", labels=["source", "kind"]
    )
    for labels, number in sorted(measured.errors.items()):
        errors.add_metric(labels, number)
    yield from (updates, errors)
    yield CounterMetricFamily(
        "hromada_updates_dropped", "Updates beyond HROMADA_BOT_UPDATES_A_MINUTE", measured.dropped
    )
    yield CounterMetricFamily("hromada_messages_sent", "Messages that Telegram has taken", measured.sent)


def _build_histogram(measured: Measurements) -> Metric:
    """The histogram from receiving a tap to the commit of what it changes."""
    bounds = [*(str(bound) for bound in SAVED_SECONDS), "+Inf"]
    return HistogramMetricFamily(
        "hromada_tap_to_saved_seconds",
        "Seconds from receiving a tap to its commit",
        buckets=list(zip(bounds, map(float, accumulate(measured.saved_within)), strict=True)),
        sum_value=measured.saved_seconds,
    )
