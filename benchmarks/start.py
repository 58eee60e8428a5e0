"""How soon hromada is there: `hromada --help` beside a bare interpreter, and the first message of `hromada try`.

The first is alternated with a bare interpreter of the same environment, medians of 21. The second is the time from the
command typed to the first message in the page, in a Chromium that is open already: the median of 5.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

from _chromium import FLAGS, PROGRAM
from _figures import Figure, build_ratio, show
from playwright.sync_api import Page, sync_playwright

TIMES, TRIES = 21, 5
MOST_TIMES, MOST_SECONDS = 8, 10
HROMADA = str(Path(sysconfig.get_path("scripts")) / "hromada")
PROJECT = Path(__file__).parent.parent / "examples" / "eval-ua-tion" / "lmes-wis.yaml"


def measure_command(command: Sequence[str]) -> float:
    """Seconds of one run, from start to end."""
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


@contextmanager
def open_page() -> Iterator[Page]:
    """A page of a Chromium without a window."""
    if PROGRAM is None:
        raise SystemExit("Chromium is missing (Debian: apt-get install chromium).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        yield browser.new_page(locale="uk")
        browser.close()


def measure_try(page: Page) -> float:
    """Seconds from `hromada try` to its first message, whose address is opened and whose start is pressed at once."""
    begun = time.perf_counter()
    command = [HROMADA, "try", str(PROJECT), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tried:
        if tried.stdout is None:
            raise RuntimeError("`hromada try` has no output.")
        page.goto(json.loads("".join(tried.stdout.readline() for _ in range(3)))["address"])
        page.locator("#start").click()
        page.locator("#log button").first.wait_for()
        taken = time.perf_counter() - begun
        tried.terminate()
    return taken


def main() -> None:
    """Measure and show."""
    commands = {"bare interpreter": [sys.executable, "-c", "pass"], "hromada --help": [HROMADA, "--help"]}
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(TIMES):
        for name, command in commands.items():
            taken[name].append(measure_command(command))
    medians = {name: statistics.median(values) for name, values in taken.items()}
    with open_page() as page:
        first_message = statistics.median(measure_try(page) for _ in range(TRIES))
    show(
        "Start of the command line",
        [
            *(Figure(name, 1000 * value, "ms") for name, value in medians.items()),
            build_ratio("ratio", medians["hromada --help"], medians["bare interpreter"], most=MOST_TIMES),
            Figure(
                "hromada try to its first message",
                first_message,
                "s",
                goal=f"< {MOST_SECONDS}",
                holds=first_message < MOST_SECONDS,
            ),
        ],
    )


if __name__ == "__main__":
    main()
