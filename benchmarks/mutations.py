"""How many small mistakes the tests find: lines of the product are broken at random places, and the tests run.

First the tests are run once under coverage, which notes the lines that each test executes. Then each mutant is tested:
by the tests of `make test` that execute its line, until the first failure; one that survives them by those of
`make test-slow`. A mutant that changes nothing (an equivalent one) survives all tests: read the list.

    HROMADA_SHARED=$PWD/../shared HROMADA_LABEL_STUDIO=$PWD/build/label-studio/bin/label-studio \\
        build/developer/bin/python benchmarks/mutations.py [--number 40] [--seed 35] [--map] [--fast] [--json]

`--map` notes the lines anew, `--fast` leaves the slow tier out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

from _figures import Figure, end, tell
from _mutants import Mutant, draw_mutants

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build/mutations"
PACKAGES = ("aggregation", "annotation", "bot", "exports")
FOLDERS = ("tests", "benchmarks", "docs", "examples", "requirements")
FILES = ("README.md", "README.uk.md", "CITATION.cff", ".env.example", "pyproject.toml", "Makefile")
MOST_SECONDS = 900
TIERS = {"fast": "not slow", "slow": "slow"}
CONTEXTS = '''\
"""Notes in the coverage which test runs, and which tests fail."""

import os

import coverage
import pytest


def name(item):
    group = item.get_closest_marker("xdist_group")
    return item.nodeid.removesuffix(f"@{group.args[0]}") if group else item.nodeid


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    running = coverage.Coverage.current()
    if running is not None:
        running.switch_context(name(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        with open(os.environ["MUTATIONS_FAILED"], "a", encoding="utf-8") as file:
            file.write(name(item) + "\\n")
    return report
'''


@dataclass(frozen=True)
class Workplace:
    """A copy of the tree whose packages are used by its own interpreter, with the tools of this one."""

    folder: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "venv/bin/python"

    def make(self) -> None:
        """Copy the tree, and make an environment in which its packages come first."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for name in (*PACKAGES, *FOLDERS, *FILES):
            source = ROOT / name
            shutil.copytree(source, self.folder / name) if source.is_dir() else shutil.copy(source, self.folder / name)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.folder / "venv"], check=True)
        libraries = self.folder / "venv" / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
        tools = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})"  # coverage's own .pth counts too
        (libraries / "product.pth").write_text(f"{self.folder}\n{tools}\n", "utf-8")
        script = self.folder / "venv/bin/hromada"
        script.write_text(f"#!{self.python}\nimport sys\nfrom bot.cli import main\nsys.exit(main())\n", "utf-8")
        script.chmod(0o755)
        (self.folder / "tests/shared/_contexts.py").write_text(CONTEXTS, "utf-8")

    def run_tests(self, *words: str, seconds: float | None = None, **variables: str) -> int:
        """The exit code of pytest with these words; 1 for one that takes longer than the seconds."""
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-n", "auto", "--dist", "loadgroup"]
        options += ["--deselect", "tests/house/test_house.py::test_the_packages_come_from_the_wheel"]
        command: list[str | Path] = [self.python, "-m", "pytest", *options, *words]
        environment = {**os.environ, "CI": "1", **variables}
        with (self.folder / "tests.log").open("wb") as log:
            try:
                return subprocess.run(
                    command, cwd=self.folder, env=environment, timeout=seconds, check=False, stdout=log, stderr=log
                ).returncode
            except subprocess.TimeoutExpired:
                return 1


def note_lines(place: Workplace, tier: str) -> Path:
    """Run a tier under coverage; the file that says which test executes which line, without tests that fail there."""
    file = FOLDER / f"{tier}.coverage"
    settings = place.folder / "coverage.ini"
    settings.write_text(
        f"[run]\nsource_pkgs = {','.join(PACKAGES)}\nparallel = True\npatch = subprocess\n"
        f"data_file = {place.folder}/found/data\n", "utf-8",
    )  # fmt: skip
    (place.folder / "found").mkdir()
    failed = place.folder / "failed.txt"
    failed.write_text("", "utf-8")
    code = place.run_tests(
        "-m", TIERS[tier], "-p", "_contexts", COVERAGE_PROCESS_START=str(settings), MUTATIONS_FAILED=str(failed),
        PYTHONPATH=str(place.folder / "tests/shared"),
    )  # fmt: skip
    if code not in {0, 1}:
        raise SystemExit(f"The tests of the {tier} tier cannot be run: {place.folder}/tests.log")
    found = place.folder / "found"
    combine: list[str | Path] = [place.python, "-m", "coverage", "combine", f"--rcfile={settings}", found]
    subprocess.run(combine, cwd=place.folder, check=True, stdout=subprocess.DEVNULL)
    shutil.move(found / "data", file)
    failing = failed.read_text("utf-8").splitlines()
    print(f"{tier}: {len(failing)} tests fail before anything is broken, and are left out: {failing}", file=sys.stderr)
    with closing(sqlite3.connect(file)) as noted, noted:
        noted.executemany("DELETE FROM context WHERE context = ?", [(name,) for name in failing])
    return file


def list_tests(file: Path, place: Workplace, mutant: Mutant) -> list[str]:
    """The tests that execute the mutant's line; of a line that runs when its file is imported, those of the file."""
    query = (
        "SELECT context.context, line_bits.numbits FROM line_bits JOIN file ON file.id = line_bits.file_id"
        " JOIN context ON context.id = line_bits.context_id WHERE file.path = ?"
    )
    with closing(sqlite3.connect(file)) as noted:
        rows = noted.execute(query, (str(place.folder / mutant.file),)).fetchall()
    byte, bit = divmod(mutant.line, 8)  # coverage.py's numbits: the bit of a line is set
    of_file = sorted({name for name, _ in rows if "::" in name})
    of_line = {name for name, bits in rows if byte < len(bits) and bits[byte] >> bit & 1}
    return [name for name in of_file if name in of_line] or of_file


def find_catcher(place: Workplace, mutant: Mutant, notes: dict[str, Path]) -> str | None:
    """The first tier whose tests fail on the mutant, None where it survives."""
    target = place.folder / mutant.file
    whole = target.read_text("utf-8")
    try:
        target.write_text(mutant.source, "utf-8")
        for tier, file in notes.items():
            names = list_tests(file, place, mutant)
            (place.folder / "chosen.txt").write_text("\n".join(names), "utf-8")
            if names and place.run_tests("-x", "@chosen.txt", seconds=MOST_SECONDS) != 0:
                return tier
    finally:
        target.write_text(whole, "utf-8")
    return None


def judge_mutants(place: Workplace, mutants: Sequence[Mutant], notes: dict[str, Path]) -> Iterator[Figure]:
    """What became of each mutant on the error stream, then the sums."""
    caught: list[str | None] = []
    for number, mutant in enumerate(mutants, 1):
        caught.append(find_catcher(place, mutant, notes))
        fate = {"fast": "make test", "slow": "make test-slow", None: "SURVIVES"}[caught[-1]]
        print(f"{number:3} {fate:15} {mutant.file}:{mutant.line}  {mutant.change[:90]}", file=sys.stderr, flush=True)
    yield Figure("mutants", len(mutants), "")
    yield Figure("caught by make test", caught.count("fast"), "")
    yield Figure("caught by the whole suite", len(caught) - caught.count(None), "")


def main() -> None:
    """Note the lines where that was not done, then break the product."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--seed", type=int, default=35)
    parser.add_argument("--map", action="store_true")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    notes = {tier: FOLDER / f"{tier}.coverage" for tier in TIERS if tier == "fast" or not asked.fast}
    place = Workplace(FOLDER / "tree")
    place.make()
    for tier, file in notes.items():
        if asked.map or not file.exists():
            note_lines(place, tier)
            shutil.rmtree(place.folder / "found")
    rng = random.Random(asked.seed)  # noqa: S311
    mutants = draw_mutants(place.folder, PACKAGES, number=asked.number, rng=rng)
    if not asked.json:
        print(json.dumps({"seed": asked.seed, "number": asked.number}))
    end(tell("Small mistakes that the tests find", judge_mutants(place, mutants, notes)))


if __name__ == "__main__":
    main()
