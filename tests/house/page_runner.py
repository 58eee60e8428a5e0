"""Pages of the documents as programs: the files that they show are written, the commands are typed in their order.

A line with nothing but a name in backquotes says how the file in the next block is called. `cd`, `export` and
comments mean what they mean in a shell. Lines that begin with `make` or `git` are for a fresh machine and are left out;
a command that runs until Ctrl-C gets it after its act, which does what the reader is told to do meanwhile. A line that
is a command of hromada and nothing else runs in the test's own process; what only a shell understands is given to one.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from _command import Ran, run_in_process

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sysconfig.get_path("scripts"))
BLOCK = re.compile(r"(?:^`([^`\n]+)`\n\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LASTING = re.compile(r"hromada (bot|try|dashboard|status --watch|label-studio watch)\b")
SERVER = re.compile(r"hromada label-studio up\b")
PLAIN = re.compile(r"hromada [^|&;<>()$`\\*?\[\]{}~]*")
"""A line in which no character means anything to a shell but quotes."""
LEFT_OUT = ("make", "git", "pip", "uv")
Act = Callable[[subprocess.Popen[str]], None]


@dataclass
class PageReader:
    """Somebody who types what a page says, in a folder of their own; `said` is all that the commands printed.

    `afterwards` are what happens after a command, by its beginning: it gets what that command printed. A server that a
    page starts in a terminal of its own runs until the page ends.
    """

    folder: Path
    acts: Mapping[str, Act] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    said: str = ""
    typed: list[str] = field(default_factory=list)
    afterwards: Mapping[str, Callable[[str], None]] = field(default_factory=dict)
    _servers: list[subprocess.Popen[str]] = field(default_factory=list)

    def read(self, page: str, *, without: str = "") -> PageReader:
        """Follow a page, named from the root of the sources, `without` one chapter; every command has to end well."""
        chapters = [f"## {chapter}" for chapter in (ROOT / page).read_text("utf-8").split("\n## ")]
        try:
            return self._follow("\n".join(one for one in chapters if one.partition("\n")[0] != f"## {without}"))
        finally:
            for server in self._servers:
                server.send_signal(signal.SIGINT)
            for server in self._servers:
                server.communicate(timeout=60)

    def _follow(self, text: str) -> PageReader:
        self.env = {"PATH": f"{SCRIPTS}:{os.environ['PATH']}", "HOME": str(self.folder), "COLUMNS": "160"} | self.env
        for name, language, block in BLOCK.findall(text):
            if language == "sh":
                for line in block.splitlines():
                    self._type(line)
            elif name:
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / name).write_text(block, "utf-8")
        return self

    def _type(self, line: str) -> None:
        words = shlex.split(line, comments=True)
        if not words or words[0] in LEFT_OUT:
            return
        if words[0] == "cd":
            self.folder = (self.folder / words[1]).resolve()
        elif words[0] == "export":
            name, _, value = words[1].partition("=")
            if name != "PATH":
                self.env[name] = value
        elif SERVER.match(line):
            self._keep_running(words, line)
        elif LASTING.match(line):
            self._run_until_interrupted(words, line)
        else:
            self.typed.append(line)
            ran = self._run(words, line)
            assert ran.code == 0, (line, ran.out, ran.err)
            self.said += ran.out
            self._go_on_after(line, ran.out)

    def _run(self, words: list[str], line: str) -> Ran:
        if PLAIN.fullmatch(line.partition(" #")[0].strip()):
            return run_in_process(words[1:], folder=self.folder, env=self.env)
        done = subprocess.run(
            ["sh", "-c", line], cwd=self.folder, env=self.env, capture_output=True, text=True, check=False
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def _go_on_after(self, line: str, said: str) -> None:
        for beginning, act in self.afterwards.items():
            if line.startswith(beginning):
                act(said)

    def _keep_running(self, words: list[str], line: str) -> None:
        """Start a server, and go on when it says what comes next."""
        process = subprocess.Popen(words, cwd=self.folder, env=self.env, stdout=subprocess.PIPE, text=True)
        self._servers.append(process)
        assert process.stdout is not None
        said = ""
        while "Then, in another terminal" not in said:
            said += (printed := process.stdout.readline())
            assert printed, (line, said)
        self._go_on_after(line, said)

    def _run_until_interrupted(self, words: list[str], line: str) -> None:
        act = next(act for beginning, act in self.acts.items() if line.startswith(beginning))
        process = subprocess.Popen(
            words, cwd=self.folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            act(process)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
        assert process.returncode == 0, (line, out, err)
        self.said += out
