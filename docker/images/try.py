"""Start the topologies of docker/compose*.yaml with podman, answer to them, kill, upgrade and restore them.

`make images` calls this after build.sh, as root. Telegram is the local one in a container of its own (telegram.py), with
eight people who tap all the while. Compares what their screens showed as saved with the database; exits with 1 if an
answer is lost or stored twice, or if anything does not come in time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build/images"
COMPOSE = WORK / "tools/bin/podman-compose"
ENVIRONMENT = {
    "CONTAINERS_CONF": str(WORK / "containers.conf"),
    "CONTAINERS_STORAGE_CONF": str(WORK / "storage.conf"),
    "DISABLE_HC_SYSTEMD": "true",  # podman leaves the times of health checks to systemd; they are called below
}
TOKEN = "7000000001:of-a-try"  # noqa: S105  # opens nothing but the local Telegram
USER = 10001
STUDIO_TOKEN = "0123456789abcdef0123456789abcdef01234567"  # noqa: S105  # of a server that lives for a few minutes
STUDIO = {"HROMADA_LABEL_STUDIO_URL": "http://label-studio:8080", "HROMADA_LABEL_STUDIO_TOKEN": STUDIO_TOKEN}
PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
question: {type: choice, text: "Яке слово довше?", options: [перше, друге]}
items: {file: items.csv, id: id, show: text}
overlap: 3
"""
ITEMS = 3000
TELEGRAM = """\
  telegram:
    image: localhost/hromada:latest
    command: python /images/telegram.py
    working_dir: /
    init: true
    environment: {PYTHONPATH: /shared, TOKEN_FILE: /run/secrets/hromada_telegram_token}
    secrets: SECRETS
    volumes: ["ROOT/docker/images:/images:ro", "ROOT/benchmarks/shared:/shared:ro", "state:/data"]
    healthcheck: {disable: true}
"""
STAND_INS = {
    "database": "localhost/stand-in-postgres:17",
    "label-studio": "localhost/stand-in-heartexlabs/label-studio:1.23.2",
    "proxy": "localhost/stand-in-caddy:2",
}


@dataclass(frozen=True)
class Topology:
    """One of the files: the services that it has beside `backup`, and which of them runs the bot."""

    name: str
    file: str
    bot: str
    others: tuple[str, ...] = ()
    label_studio: bool = False

    @property
    def scaled(self) -> bool:
        """Whether Telegram calls the bots through the proxy."""
        return "proxy" in self.others


TOPOLOGIES = (
    Topology("sqlite", "compose.sqlite.yaml", "bot"),
    Topology("postgresql", "compose.yaml", "bot", ("database",)),
    Topology("label-studio", "compose.yaml", "bot", ("database",), label_studio=True),
    Topology("scaled", "compose.scaled.yaml", "worker", ("database", "proxy")),
)


def run(*words: str, check: bool = True, **more: str) -> str:
    """Run a program; its output comes back, and with `check` a failure raises."""
    env = {**os.environ, **ENVIRONMENT, **more}
    ran = subprocess.run(words, capture_output=True, text=True, env=env, cwd=WORK / "try", check=False)  # noqa: S603
    if check and ran.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {ran.returncode}:\n{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}")
    return ran.stdout if check else f"{ran.stdout}{ran.stderr}\nexit code {ran.returncode}"


def wait(condition: Callable[[], object], what: str, *, seconds: float = 180) -> float:
    """Wait until it is true; raises with what did not come. The seconds that it took come back."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise RuntimeError(f"not within {seconds:.0f} seconds: {what}")
        time.sleep(0.5)
    return time.monotonic() - began


class Trial:
    """A topology at work."""

    def __init__(self, topology: Topology) -> None:
        self.topology, self.release = topology, "latest"
        self.project = f"try-{topology.name}"
        files = [f"docker/{topology.file}", "try.yaml"]
        self._compose = [str(COMPOSE), "-p", self.project, *(word for file in files for word in ("-f", file))]
        if topology.label_studio:
            self._compose += ["--profile", "label-studio"]

    def say(self, sentence: str) -> None:
        """Tell what was done."""
        print(f"{self.topology.name}: {sentence}", flush=True)

    def prepare(self) -> None:
        """A copy of docker/ with settings, secrets and stand-ins of its own."""
        folder = WORK / "try"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(ROOT / "docker", folder / "docker")
        (folder / "project").mkdir()
        (folder / "project/project.yaml").write_text(PROJECT, "utf-8")
        rows = "".join(f"{number},слово {number}\n" for number in range(ITEMS))
        (folder / "project/items.csv").write_text(f"id,text\n{rows}", "utf-8")
        settings = {"HROMADA_TELEGRAM_URL": f"http://{'proxy' if self.topology.scaled else 'telegram'}:8090/bot"}
        settings |= {"HROMADA_BOT_UPDATES_A_MINUTE": "0"}
        settings |= {"HROMADA_WEBHOOK_URL": "https://localhost"} if self.topology.scaled else {}
        settings |= STUDIO if self.topology.label_studio else {}
        studio = {"LABEL_STUDIO_EMAIL": "owner@example.org", "LABEL_STUDIO_PASSWORD": "Secret-123"}
        lines = [f"{name}={value}\n" for name, value in (settings | studio).items()]
        (folder / ".env").write_text("".join(lines), "utf-8")
        shutil.copy(folder / ".env", folder / "docker/.env")  # where podman-compose looks for what ${…} means
        self._write_secrets(folder / "secrets")
        (folder / "try.yaml").write_text(self._write_override(), "utf-8")

    def _write_secrets(self, folder: Path) -> None:
        folder.mkdir(mode=0o711)
        secrets = {"hromada_telegram_token": TOKEN}
        if "database" in self.topology.others:
            secrets |= {"postgres_password": "p4ss", "hromada_database_url": "postgresql://hromada:p4ss@database/hromada"}
        for name, secret in secrets.items():
            (folder / name).write_text(f"{secret}\n", "utf-8")
            os.chown(folder / name, USER, USER)
            (folder / name).chmod(0o400)

    def _write_override(self) -> str:
        """Stand-ins instead of images, Telegram, and ports that nobody else of this machine has."""
        names = [*self.topology.others, *(["label-studio"] if self.topology.label_studio else [])]
        services = "".join(f"  {name}:\n    image: {STAND_INS[name]}\n" for name in names)
        services += "    ports: !reset []\n" if self.topology.scaled or self.topology.label_studio else ""
        secrets = ["hromada_telegram_token", *(["hromada_database_url"] if "database" in names else [])]
        telegram = TELEGRAM.replace("ROOT", str(ROOT)).replace("SECRETS", json.dumps(secrets))
        if self.topology.scaled:  # the local Telegram calls loopback addresses only, and trusts the proxy's certificate
            telegram += "    network_mode: service:proxy\n    depends_on: [proxy]\n"
            telegram = telegram.replace("TOKEN_FILE", "SSL_CERT_FILE: /certificates/caddy/pki/authorities/local/root.crt, TOKEN_FILE")
            telegram = telegram.replace('"state:/data"', '"state:/data", "certificates:/certificates"')
            telegram = telegram.replace("    init: true\n", '    init: true\n    user: "0"\n')
        return f"services:\n{services}{telegram}"

    def compose(self, *words: str, check: bool = True) -> str:
        """Call podman-compose, for the release that is to run."""
        return run(*self._compose, *words, check=check, HROMADA_RELEASE=self.release)

    def hromada(self, *words: str, check: bool = True, options: tuple[str, ...] = ()) -> str:
        """Run a command of hromada in a container of its own, as organisers do."""
        return self.compose("run", "--rm", "-T", *options, "backup", "hromada", *words, check=check)

    def containers(self, service: str) -> list[str]:
        """The names of the containers of a service, running or not."""
        filters = (f"label=com.docker.compose.project={self.project}", f"label=com.docker.compose.service={service}")
        arguments = [word for one in filters for word in ("--filter", one)]
        return sorted(run("podman", "ps", "-a", *arguments, "--format", "{{.Names}}").split())

    def look(self, container: str, template: str) -> str:
        """Something that podman knows of a container."""
        return run("podman", "inspect", "--format", template, container).strip()

    def is_healthy(self, container: str) -> bool:
        """Whether the container's own health check is content."""
        return run("podman", "healthcheck", "run", container, check=False).endswith("exit code 0")

    def ask(self, method: str, path: str) -> dict[str, Any]:
        """Ask the local Telegram."""
        program = (
            "import sys, urllib.request as r, urllib.error as e\n"
            f"asked = r.Request('http://127.0.0.1:8090{path}', method='{method}')\n"
            "try: print(r.urlopen(asked, timeout=500).read().decode())\n"
            "except e.HTTPError as refused: print(refused.read().decode())\n"
        )
        told: dict[str, Any] = json.loads(run("podman", "exec", self.containers("telegram")[0], "python", "-c", program))
        return told

    def wait_for_answers(self, number: int) -> float:
        """Wait until so many more answers were shown as saved."""
        before = self.ask("GET", "/marks")["marks"]
        return wait(lambda: self.ask("GET", "/marks")["marks"] >= before + number, f"{number} more answers")

    def up(self) -> None:
        """Start everything, the database first: podman 4.3 does not wait for health."""
        if "database" in self.topology.others:
            self.compose("up", "-d", "--no-build", "database")
            wait(lambda: self.is_healthy(self.containers("database")[0]), "the database")
        self.compose("up", "-d", "--no-build")
        for bot in self.containers(self.topology.bot):
            wait(lambda bot=bot: self.is_healthy(bot), f"{bot} is healthy")  # type: ignore[misc]

    def start(self) -> None:
        """Load a project, start everything, and let people tap."""
        self.up()
        mounted = ("-v", f"{WORK}/try/project:/project:ro")
        self.hromada("load", "/project/project.yaml", options=mounted)
        self.hromada("start", "words")
        self.ask("POST", "/go")
        seconds = self.wait_for_answers(40)
        self.say(f"started with {', '.join(self.containers(self.topology.bot))}; 40 answers in {seconds:.0f} s")
        self.show_limits()

    def show_limits(self) -> None:
        """What a bot may do, as podman and the kernel see it."""
        bot = self.containers(self.topology.bot)[0]
        told = run("podman", "exec", bot, "sh", "-c", "id -u; touch /x 2>&1; cat /proc/1/comm; grep -E 'Cap(Eff|Bnd)|NoNew' /proc/self/status")
        limit = self.look(bot, "{{.HostConfig.Memory}} bytes, {{.HostConfig.PidsLimit}} processes, read-only {{.HostConfig.ReadonlyRootfs}}")
        self.say(f"limits: {limit}; {' '.join(told.split())}")
        held = run("podman", "exec", bot, "sh", "-c", "tr '\\0' '\\n' </proc/1/environ | grep -c -E '7000000001|p4ss'; true").strip()
        if held != "0":
            raise RuntimeError("a secret is in the environment")

    def kill(self) -> None:
        """Kill the first bot as a crash would; podman starts it again, and nothing is lost."""
        bot = self.containers(self.topology.bot)[0]
        process = int(self.look(bot, "{{.State.Pid}}"))
        os.kill(process, 9)
        seconds = self.wait_for_answers(40)
        wait(lambda: self.is_healthy(bot), f"{bot} is healthy again")
        restarts = self.look(bot, "{{.RestartCount}}")
        self.say(f"killed {bot}: started again {restarts} time(s); 40 more answers in {seconds:.0f} s")

    def compare(self) -> None:
        """Compare the screens with the database."""
        told = self.ask("POST", "/compare")
        if "difference" in told:
            raise RuntimeError(f"screens and database differ: {told['difference']}")
        self.say(f"{told['marks']} answers shown as saved, {told['judgements']} stored; none lost, none twice")

    def stop_bots(self) -> None:
        """Stop all that runs hromada, but for Telegram."""
        self.compose("stop", self.topology.bot, "backup")

    def upgrade(self, release: str) -> None:
        """Back up, upgrade to a release, and go on."""
        self.stop_bots()
        self.hromada("database", "backup", f"/backups/before-{release}.backup")
        self.release = release
        self.say(f"{release}: {' '.join(self.hromada('database', 'upgrade').split())}")
        self.replace_bots()
        self.ask("POST", "/go")
        self.say(f"{release}: 40 more answers in {self.wait_for_answers(40):.0f} s")

    def replace_bots(self) -> None:
        """Make the containers of hromada anew, from the release that is to run."""
        for service in (self.topology.bot, "backup"):
            for container in self.containers(service):
                run("podman", "rm", "-f", container)
        self.up()

    def restore(self) -> None:
        """Rehearse, go back to the backup before the last upgrade with its release, and go on."""
        drill = self.hromada("database", "drill")
        self.say(f"drill: {' '.join(drill.split())[:300]}")
        self.stop_bots()
        self.release = "latest"
        refused = self.hromada("doctor", check=False)
        self.say(f"rollback: {next((line for line in refused.splitlines() if 'newer' in line), 'doctor is content')}")
        words = ("database", "restore", "/backups/before-next.backup", "--yes")
        told = self.hromada(*words, options=("-w", "/backups") if "database" in self.topology.others else ())
        self.say(f"restore: {' '.join(told.split())[:400]}")
        self.ask("POST", "/forget")
        self.replace_bots()
        self.ask("POST", "/go")
        self.say(f"restored: 40 more answers in {self.wait_for_answers(40):.0f} s")
        self.hromada("database", "check")

    def look_at_backups(self) -> None:
        """The scheduled backup is there, and neither the bot sees it nor the key is near it."""
        service = self.containers("backup")[0]
        listed = wait(lambda: "hromada-" in run("podman", "exec", service, "ls", "/backups"), "a scheduled backup")
        seen = run("podman", "exec", self.containers(self.topology.bot)[0], "sh", "-c", "ls -A /backups | wc -l")
        keys = run("podman", "exec", service, "sh", "-c", "ls -A /backups | grep -c key; true")
        if (seen.strip(), keys.strip()) != ("0", "0"):
            raise RuntimeError("the bot sees the backups, or the key is among them")
        self.say(f"a scheduled backup after {listed:.0f} s, in a volume without the key")

    def push_to_label_studio(self) -> None:
        """Give the project to Label Studio and read what is there."""
        studio = self.containers("label-studio")[0]
        ask = f"import urllib.request as r; r.urlopen('{STUDIO['HROMADA_LABEL_STUDIO_URL']}/health')"
        bot = self.containers(self.topology.bot)[0]
        wait(lambda: run("podman", "exec", bot, "python", "-c", ask, check=False).endswith("exit code 0"), studio, seconds=400)
        self.say(" ".join(self.hromada("doctor", check=False).split())[:1500])

    def end(self) -> None:
        """Remove containers, volumes and networks."""
        self.compose("down", "-v", check=False)


def try_topology(topology: Topology) -> None:
    """Everything for one of them, from the previous release to the next one and back."""
    trial = Trial(topology)
    trial.prepare()
    trial.end()
    try:
        trial.release = "previous"
        trial.start()
        trial.kill()
        trial.look_at_backups()
        trial.upgrade("latest")
        if topology.label_studio:
            trial.push_to_label_studio()
        trial.upgrade("next")
        trial.compare()
        trial.restore()
    except BaseException:
        for service in (topology.bot, "backup", "telegram", *topology.others):
            for container in trial.containers(service):
                print(f"--- {container}\n{run('podman', 'logs', '--tail', '30', container, check=False)}", file=sys.stderr)
        raise
    finally:
        if not os.environ.get("KEEP"):
            trial.end()


def main() -> None:
    """Try the topologies that are named, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="TOPOLOGY", help=", ".join(one.name for one in TOPOLOGIES))
    names = parser.parse_args().names
    for topology in TOPOLOGIES:
        if not names or topology.name in names:
            try:
                try_topology(topology)
            except RuntimeError as failure:
                sys.exit(f"{topology.name}: {failure}")


if __name__ == "__main__":
    main()
