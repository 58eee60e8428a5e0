"""The start of a server of this machine, of which nothing runs here: it is waited for while its process is there."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from annotation.errors import Unavailable
from annotation.label_studio import local_server
from annotation.label_studio.local_server import StartReport


class SlowProgram:
    """A process that writes a line a second; `ends_at` is the second at which it ends."""

    seconds = 0
    ends_at = 10**6

    def __init__(self, command: list[str], *, stdout: Any, **told: Any) -> None:  # noqa: ARG002
        self.log = stdout

    def wait(self, timeout: float | None = None) -> int:
        """A second passes."""
        SlowProgram.seconds += 1
        self.log.write(f"Applying migration {self.seconds}\n".encode())
        self.log.flush()
        if self.seconds < self.ends_at and timeout == local_server.HEALTH_SECONDS:
            raise subprocess.TimeoutExpired("label-studio", timeout)
        return 3

    def poll(self) -> int:
        """Ended."""
        return 3

    def terminate(self) -> None:
        """Nothing runs."""


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Starts a server that is up after so many seconds; what was said until then."""

    def started(*, up_at: int, ends_at: int = 10**6) -> list[StartReport]:
        SlowProgram.seconds, SlowProgram.ends_at = 0, ends_at

        def ask(url: str, **told: Any) -> httpx.Response:
            if SlowProgram.seconds < 40:
                raise httpx.ConnectError("refused")
            return httpx.Response(200 if SlowProgram.seconds >= up_at else 503)

        monkeypatch.setattr(f"{local_server.__name__}.subprocess.Popen", SlowProgram)
        monkeypatch.setattr(f"{local_server.__name__}.httpx.get", ask)
        monkeypatch.setattr(f"{local_server.__name__}.time.monotonic", lambda: float(SlowProgram.seconds))
        reports: list[StartReport] = []
        program = Path("label-studio")
        with local_server.start_program(
            program, tmp_path, host="127.0.0.1", port=1, settings={}, on_wait=reports.append
        ) as (url, _):
            assert url == "http://127.0.0.1:1"
        return reports

    return started


def test_a_slow_server_is_waited_for_and_told_of(start: Any) -> None:
    """Twenty minutes are no reason to give up while its process is there; every half minute has a report."""
    reports = start(up_at=1200)
    assert [report.seconds for report in reports[:2]] == [30, 60]
    assert [report.health for report in reports[:2]] == ["does not answer yet", "answers 503"]
    assert reports[0].log_line == "Applying migration 30"
    assert len(reports) == 40


def test_a_server_that_ends_while_it_starts_is_not_waited_for(start: Any) -> None:
    """With the last line of its log."""
    with pytest.raises(Unavailable, match=r"ended while it was starting \(exit code 3\).*Applying migration 7"):
        start(up_at=1200, ends_at=7)
