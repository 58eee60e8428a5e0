"""Start the topologies of docker/compose*.yaml with podman, answer to them, kill, upgrade and restore them.

`make images` calls this after build.sh, as root. Telegram is the local one (local_telegram.py), in a container of its
own, with eight people who tap all the while. Compares what their screens showed as saved with the database; exits with
1 if an answer is lost or stored twice, or if anything does not come in time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import podman
from podman import ROOT, TOKEN, WORK, TrialFailed, execute, run, wait

COMPOSE = WORK / "tools/bin/podman-compose"
USER = 10001
PASSWORD = "p4ss"  # noqa: S105  # of a server that lives for a few minutes, as the next
STUDIO_TOKEN = "0123456789abcdef0123456789abcdef01234567"  # noqa: S105
STUDIO_URL, OWNER = "http://label-studio:8080", "owner@example.org"
STAND_INS = {
    "database": "localhost/stand-in-postgres:17",
    "label-studio": "localhost/stand-in-heartexlabs/label-studio:1.23.2",
    "proxy": "localhost/stand-in-caddy:2",
}
CERTIFICATE = "/certificates/caddy/pki/authorities/local/root.crt"


@dataclass(frozen=True)
class Topology:
    """One of the files: the service that runs the bot, and those beside it and `backup`."""

    name: str
    file: str
    bot: str = "bot"
    others: tuple[str, ...] = ()

    @property
    def scaled(self) -> bool:
        """Whether Telegram calls the bots through the proxy."""
        return "proxy" in self.others


TOPOLOGIES = (
    Topology("sqlite", "compose.sqlite.yaml"),
    Topology("postgresql", "compose.yaml", others=("database",)),
    Topology("label-studio", "compose.yaml", others=("database", "label-studio")),
    Topology("scaled", "compose.scaled.yaml", "worker", ("database", "proxy")),
)


class Trial:
    """A topology at work, in a copy of docker/ with settings, secrets and stand-ins of its own."""

    def __init__(self, topology: Topology) -> None:
        self.topology, self.release = topology, "previous"
        self.name = f"try-{topology.name}"
        self.folder = WORK / self.name
        files = (f"docker/{topology.file}", "try.yaml")
        profile = ("--profile", "label-studio") if "label-studio" in topology.others else ()
        words = [word for file in files for word in ("-f", file)]
        self._compose = (str(COMPOSE), "-p", self.name, "--env-file", ".env", *words, *profile)

    def say(self, sentence: str) -> None:
        """Print what was seen."""
        print(f"{self.topology.name}: {sentence}", flush=True)

    def prepare(self) -> None:
        """Write the folder in which compose works."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(ROOT / "docker", self.folder / "docker")
        podman.write_project(self.folder / "project")
        settings = {
            "HROMADA_TELEGRAM_URL": f"http://{'proxy' if self.topology.scaled else 'telegram'}:8090/bot",
            "HROMADA_BOT_UPDATES_A_MINUTE": "0",
            "LABEL_STUDIO_EMAIL": OWNER,
            "LABEL_STUDIO_PASSWORD": "Secret-123",
        }
        if self.topology.scaled:
            settings["HROMADA_WEBHOOK_URL"] = "https://localhost"
        if "label-studio" in self.topology.others:
            settings |= {"HROMADA_LABEL_STUDIO_URL": STUDIO_URL, "HROMADA_LABEL_STUDIO_TOKEN": STUDIO_TOKEN}
        (self.folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in settings.items()), "utf-8")
        self._write_secrets(self.folder / "secrets")
        (self.folder / "try.yaml").write_text(self._write_override(), "utf-8")

    def _write_secrets(self, folder: Path) -> None:
        folder.mkdir(mode=0o711)
        secrets = {"hromada_telegram_token": TOKEN}
        if "database" in self.topology.others:
            url = f"postgresql://hromada:{PASSWORD}@database/hromada"
            secrets |= {"postgres_password": PASSWORD, "hromada_database_url": url}
        for name, secret in secrets.items():
            (folder / name).write_text(f"{secret}\n", "utf-8")
            os.chown(folder / name, USER, USER)
            (folder / name).chmod(0o400)

    def _write_override(self) -> str:
        """Stand-ins instead of images, no ports of the machine, and the local Telegram.

        It calls loopback addresses only. So with a proxy it is in the proxy's network, and trusts its certificate.
        """
        services: dict[str, dict[str, object]] = {name: {"image": STAND_INS[name]} for name in self.topology.others}
        secrets = ["hromada_telegram_token", *(["hromada_database_url"] if "database" in services else [])]
        telegram: dict[str, object] = {
            "image": "localhost/hromada:latest",
            "command": "python /images/local_telegram.py",
            "working_dir": "/data",
            "init": True,
            "environment": {"PYTHONPATH": "/shared", "TOKEN_FILE": "/run/secrets/hromada_telegram_token"},
            "secrets": secrets,
            "volumes": [f"{ROOT}/docker/images:/images:ro", f"{ROOT}/benchmarks/shared:/shared:ro", "state:/data"],
            "healthcheck": {"disable": True},
        }
        if self.topology.scaled:
            telegram |= {"network_mode": "service:proxy", "depends_on": ["proxy"], "user": "0"}
            telegram["environment"] = {**telegram["environment"], "SSL_CERT_FILE": CERTIFICATE}  # type: ignore[dict-item]
            telegram["volumes"] = [*telegram["volumes"], "certificates:/certificates"]  # type: ignore[misc]
        text = json.dumps({"services": services | {"telegram": telegram}}, indent=1, ensure_ascii=False)
        for name in ("label-studio", "proxy"):
            text = text.replace(f'"{STAND_INS[name]}"', f'"{STAND_INS[name]}", "ports": !reset []')
        return text

    def compose(self, *words: str, check: bool = True) -> str:
        """Call podman-compose, for the release that is to run."""
        return run(*self._compose, *words, check=check, folder=self.folder, HROMADA_RELEASE=self.release)

    def hromada(self, *words: str, check: bool = True, options: tuple[str, ...] = ()) -> str:
        """Run a command of hromada in a container of its own, as organisers do."""
        told = self.compose("run", "--rm", "--no-deps", "-T", *options, "backup", "hromada", *words, check=check)
        return " ".join(told.split())

    def containers(self, service: str) -> list[str]:
        """The names of the containers of a service, running or not."""
        filters = (f"label=com.docker.compose.project={self.name}", f"label=com.docker.compose.service={service}")
        arguments = [word for one in filters for word in ("--filter", one)]
        names = run("podman", "ps", "-a", *arguments, "--format", "{{.Names}}").split()
        return sorted(name for name in names if "_run" not in name and "tmp" not in name)

    def look(self, container: str, template: str) -> str:
        """Something that podman knows of a container."""
        return run("podman", "inspect", "--format", template, container).strip()

    def is_healthy(self, container: str) -> bool:
        """Whether the container's own health check is content."""
        return run("podman", "healthcheck", "run", container, check=False).endswith("exit code 0")

    def ask(self, method: str, path: str) -> dict[str, object]:
        """Ask the local Telegram."""
        return podman.ask_telegram(self.containers("telegram")[0], method, path)

    def wait_for_answers(self, number: int = 40) -> str:
        """Wait until so many more answers were shown as saved."""
        seconds = podman.wait_for_answers(self.containers("telegram")[0], number)
        return f"{number} more answers in {seconds:.0f} s"

    def up(self) -> None:
        """Start everything, the database first: podman before 4.6 does not wait for health."""
        if "database" in self.topology.others:
            self.compose("up", "-d", "--no-build", "database")
            wait(lambda: self.is_healthy(self.containers("database")[0]), "the database")
        scale = ("--scale", "worker=2") if self.topology.scaled else ()
        self.compose("up", "-d", "--no-build", "--no-recreate", *scale)
        for bot in self.containers(self.topology.bot):
            wait(lambda bot=bot: self.is_healthy(bot), f"{bot} is healthy")  # type: ignore[misc]

    def start(self) -> None:
        """Start everything, load a project, and let people tap."""
        self.up()
        self.hromada("load", "/project/project.yaml", options=("-v", f"{self.folder}/project:/project:ro"))
        self.hromada("start", "words")
        self.ask("POST", "/go")
        self.say(f"{', '.join(self.containers(self.topology.bot))} of {self.release}: {self.wait_for_answers()}")

    def check_limits(self) -> None:
        """What a bot may do, as podman and the kernel see it; raises TrialFailed if it may more."""
        bot = self.containers(self.topology.bot)[0]
        fields = "{{.HostConfig.Memory}} {{.HostConfig.PidsLimit}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.Init}}"
        limits = self.look(bot, fields)
        status = "id -u; touch /venv/x 2>&1; grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/1/status"
        told = " ".join(execute(bot, "sh", "-c", status).split())
        self.say(f"memory, processes, read-only, init: {limits}; inside: {told}")
        if limits != "1073741824 256 true true" or "Read-only" not in told or "NoNewPrivs: 1" not in told:
            raise TrialFailed("a bot may do more than it needs")
        if TOKEN in execute(bot, "env") or PASSWORD in execute(bot, "env"):
            raise TrialFailed("a secret is in the environment")

    def kill(self) -> None:
        """Kill the first bot as a crash would. Podman starts it again, and nothing is lost."""
        bot = self.containers(self.topology.bot)[0]
        os.kill(int(self.look(bot, "{{.State.Pid}}")), 9)
        told = self.wait_for_answers()
        wait(lambda: self.is_healthy(bot), f"{bot} is healthy again")
        self.say(f"killed {bot}, which was started again {self.look(bot, '{{.RestartCount}}')} time; {told}")

    def check_backups(self) -> None:
        """The scheduled backup is there; neither does the bot see it, nor is the key near it."""
        keeper, bot = self.containers("backup")[0], self.containers(self.topology.bot)[0]
        seconds = wait(lambda: "hromada-" in execute(keeper, "ls", "/backups"), "a scheduled backup")
        if execute(bot, "ls", "-A", "/backups").strip() or "key" in execute(keeper, "ls", "-A", "/backups"):
            raise TrialFailed("the bot sees the backups, or the key is among them")
        self.say(f"a scheduled backup after {seconds:.0f} s, in a volume without the key")

    def compare(self) -> None:
        """Compare the screens with the database."""
        told = self.ask("POST", "/compare")
        self.say(f"{told['marks']} answers shown as saved, {told['judgements']} stored; none lost, none twice")

    def stop_bots(self) -> None:
        """Stop all of hromada, both of two workers. Telegram keeps what people send."""
        run("podman", "stop", "-t", "20", *self.containers("backup"), *self.containers(self.topology.bot))

    def replace_bots(self) -> None:
        """Make the containers of hromada again, of the release that is to run, and let people go on."""
        # `down` of podman-compose removes every service; backups depend on a bot, and so do commands that have ended
        run("podman", "rm", "-f", "--depend", *self.containers(self.topology.bot))
        if keepers := self.containers("backup"):
            run("podman", "rm", "-f", "--depend", *keepers)
        self.up()
        self.ask("POST", "/go")
        self.say(f"{self.release}: {self.wait_for_answers()}")

    def upgrade(self, release: str) -> None:
        """Back up with the old release, upgrade with the new one, and go on."""
        self.stop_bots()
        self.hromada("database", "backup", f"/backups/before-{release}.backup")
        self.release = release
        self.say(f"upgrade to {release}: {self.hromada('database', 'upgrade')}")
        self.replace_bots()

    def roll_back(self) -> None:
        """Rehearse a restore, go back to the backup before the last upgrade with its release, and go on."""
        self.say(f"drill: {self.hromada('database', 'drill')}")
        self.stop_bots()
        self.release = "latest"
        refused = self.hromada("database", "check", check=False)
        if "exit code 1" not in refused and "exit code 2" not in refused:
            raise TrialFailed(f"an older release takes the database of a newer one: {refused}")
        backup = ("/backups/before-next.backup", "--yes")
        # the copy of what is replaced goes beside an SQLite file, which is in /data, otherwise into the folder
        place = ("--workdir", "/backups") if "database" in self.topology.others else ()
        self.say(f"restore: {self.hromada('database', 'restore', *backup, options=place)}")
        self.ask("POST", "/forget")
        self.replace_bots()
        self.say(f"check: {self.hromada('database', 'check')}")

    def use_label_studio(self) -> None:
        """Give items to the account of the server, and read what is there."""
        bot = self.containers("bot")[0]
        program = f"import urllib.request as r; r.urlopen('{STUDIO_URL}/health')"
        seconds = wait(
            lambda: execute(bot, "python", "-c", program, check=False).endswith("exit code 0"),
            "Label Studio",
            seconds=500,
        )
        self.say(f"Label Studio answers after {seconds:.0f} s: {self.hromada('label-studio', 'doctor', check=False)}")
        self.say(self.hromada("label-studio", "push", "words", "--person", OWNER, "--number", "5"))
        self.say(self.hromada("label-studio", "pull", "words"))

    def end(self) -> None:
        """Remove containers, volumes and networks; podman-compose leaves the second of two workers."""
        self.compose("down", "-v", "-t", "2", check=False)
        project = f"label=com.docker.compose.project={self.name}"
        for container in run("podman", "ps", "-aq", "--filter", project).split():
            run("podman", "rm", "-f", "--depend", container, check=False)
        for volume in run("podman", "volume", "ls", "-q", "--filter", f"name=^{self.name}_").split():
            run("podman", "volume", "rm", "-f", volume, check=False)
        podman.forget_names(f"{self.name}_")

    def print_logs(self) -> None:
        """The last lines of each container."""
        for service in (self.topology.bot, "backup", "telegram", *self.topology.others):
            for container in self.containers(service):
                logs = run("podman", "logs", "--tail", "30", container, check=False)
                print(f"--- {container}\n{logs}", file=sys.stderr)


def try_topology(topology: Topology) -> None:
    """Everything for one of them: the previous release, this one, the next one, and back."""
    trial = Trial(topology)
    trial.prepare()
    trial.end()
    try:
        trial.start()
        trial.kill()
        trial.check_backups()
        trial.upgrade("latest")
        trial.check_limits()
        if "label-studio" in topology.others:
            trial.use_label_studio()
        trial.upgrade("next")
        trial.compare()
        trial.roll_back()
    except BaseException:
        trial.print_logs()
        raise
    finally:
        if "KEEP" not in os.environ:
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
            except TrialFailed as failure:
                sys.exit(f"{topology.name}: {failure}")


if __name__ == "__main__":
    main()
