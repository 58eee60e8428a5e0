"""Run the units of docker/systemd by what docs/how-to/run-a-bot-for-months.md says, on a Debian 12 in a container.

systemd is process 1 there. Types the ten commands of the page, those of its upgrade and its rollback; kills the bot,
lets the timer fire, restores, and compares what screens of the local Telegram showed as saved with the database.
`make images` calls this after build.sh, as root.
"""

from __future__ import annotations

import os
import re
import sys

import podman
from podman import ROOT, TOKEN, WORK, TrialFailed, execute, run, wait

PAGE = ROOT / "docs/how-to/run-a-bot-for-months.md"
FOLDER = WORK / "units"
MACHINE = "try-units"
PYTHON = "/opt/hromada/.venv/bin/python"
REPOSITORY = "/src/hromada.git"
SETTINGS = f"""\
HROMADA_TELEGRAM_TOKEN={TOKEN}
HROMADA_TELEGRAM_URL=http://127.0.0.1:8090/bot
HROMADA_HEALTH_LISTEN=127.0.0.1:8081
HROMADA_BACKUP_FOLDER=/var/backups/hromada
HROMADA_BOT_UPDATES_A_MINUTE=0
"""
EACH_MINUTE = "[Timer]\nOnCalendar=\nOnCalendar=minutely\nRandomizedDelaySec=0\n"
GREEDY = "print(len(b'a' * (200 * 2**20)))"


def read_commands(heading: str) -> list[str]:
    """The commands below a heading of the page, for the repository and the project of this trial."""
    text = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("```console\n")[2].partition("```")[0]
    commands = re.findall(r"^# (.*)", text, re.MULTILINE)
    if not commands:
        raise TrialFailed(f"the page has no commands below {heading}")
    swaps = {
        "ADDRESS": REPOSITORY,
        "/opt/hromada/examples/eval-ua-tion/programme/low.yaml": "/src/project/project.yaml",
    }
    for written, here in {**swaps, "nine.low": "words"}.items():
        commands = [command.replace(written, here) for command in commands]
    return commands


def type_commands(*commands: str) -> str:
    """Type commands into one shell of the machine, as root in its home; the first that fails raises.

    The doctor exits with 1 while the bot is stopped: nobody gets a reply.
    """
    alias = next(command for command in read_commands("From a bare server to a running bot") if "alias" in command)
    typed = [f"{command} || test $? = 1" if command == "hromada doctor" else command for command in commands]
    script = "\n".join(["shopt -s expand_aliases", "set -e", "cd /root", "umask 022", alias, *typed])
    return execute(MACHINE, "bash", "-c", script)


def show(words: str) -> str:
    """What systemctl says, in one line."""
    return " ".join(execute(MACHINE, "systemctl", *words.split()).split())


def is_well() -> bool:
    """Whether the bot's own health check is content."""
    return execute(MACHINE, "curl", "-sf", "127.0.0.1:8081/health", check=False).endswith("exit code 0")


def answer(what: str) -> None:
    """Wait until the bot is well and 40 more answers are saved."""
    seconds = wait(is_well, f"{what}: the bot is well")
    more = podman.wait_for_answers(MACHINE, 40, python=PYTHON)
    print(f"units: {what}: well after {seconds:.0f} s, 40 more answers in {more:.0f} s", flush=True)


def start_machine() -> None:
    """A Debian 12 whose process 1 is systemd, with a clone of this repository."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    run("rm", "-rf", str(FOLDER / "hromada.git"))
    run("git", "clone", "--quiet", "--bare", str(ROOT), str(FOLDER / "hromada.git"))
    podman.write_project(FOLDER / "project")
    # its own view of cgroups: with the machine's it changes those of the machine
    words = ("--privileged", "--systemd=always", "--cgroupns=private", "--tmpfs", "/tmp", "-v", f"{FOLDER}:/src:ro")  # noqa: S108
    run("podman", "run", "-d", "--replace", "--name", MACHINE, *words, "localhost/stand-in-systemd:bookworm")
    wait(lambda: "running" in execute(MACHINE, "systemctl", "is-system-running", check=False), "systemd")


def start_telegram() -> None:
    """The local Telegram, next to the bot, with people who tap."""
    type_commands(
        f"install -o hromada -m 600 /dev/null /var/lib/hromada/token && echo {TOKEN} >/var/lib/hromada/token",
        "systemd-run --quiet --unit=telegram --uid=hromada --working-directory=/var/lib/hromada"
        " -E PYTHONPATH=/opt/hromada/benchmarks/shared -E TOKEN_FILE=/var/lib/hromada/token"
        " $(readlink -f /opt/hromada)/.venv/bin/python /opt/hromada/docker/images/local_telegram.py",
    )
    wait(lambda: "marks" in execute(MACHINE, PYTHON, "-c", podman.ASK, "GET", "/marks", check=False), "Telegram")
    podman.ask_telegram(MACHINE, "POST", "/go", python=PYTHON)


def check_limits() -> None:
    """The kernel has the limits of the units, and ends what wants more memory."""
    print(f"units: {show('show hromada-bot -p MemoryMax -p TasksMax -p User -p NoNewPrivileges -p ProtectSystem')}")
    limit = execute(MACHINE, "cat", "/sys/fs/cgroup/memory/system.slice/hromada-bot.service/memory.limit_in_bytes")
    words = ("systemd-run", "--wait", "--pipe", "-p", "MemoryMax=60M", "python3", "-c", GREEDY)
    told = execute(MACHINE, *words, check=False)
    if limit.strip() != str(2**30) or "status=KILL" not in told:
        raise TrialFailed(f"memory is not limited: {limit} {told}")
    print("units: the kernel limits the bot to 1 GiB, and kills a service of 60 MB that takes 200 MB")


def kill_bot() -> None:
    """Kill the bot, which systemd starts again."""
    execute(MACHINE, "systemctl", "kill", "--signal=KILL", "hromada-bot")
    answer("killed")
    restarts = show("show hromada-bot -p NRestarts")
    if restarts != "NRestarts=1":
        raise TrialFailed(restarts)


def wait_for_timer() -> None:
    """Let the timer fire by itself, each minute instead of each hour."""
    type_commands(
        "mkdir -p /etc/systemd/system/hromada-backup.timer.d",
        f"cat >/etc/systemd/system/hromada-backup.timer.d/trial.conf <<'END'\n{EACH_MINUTE}END",
        "systemctl daemon-reload && systemctl restart hromada-backup.timer",
    )
    seconds = wait(lambda: ".backup" in execute(MACHINE, "ls", "/var/backups/hromada", check=False), "a backup")
    wait(lambda: "inactive" in execute(MACHINE, "systemctl", "is-active", "hromada-backup", check=False), "its end")
    print(f"units: the timer fired: a backup after {seconds:.0f} s; {show('show hromada-backup -p Result')}")


def try_units() -> None:
    """The page from its first command to its last."""
    type_commands("cat >bot.env <<'END'\n" + SETTINGS + "END")
    type_commands(*read_commands("From a bare server to a running bot"))
    start_telegram()
    answer("started by ten commands")
    check_limits()
    kill_bot()
    wait_for_timer()
    type_commands(*read_commands("Upgrade"))
    answer("upgraded")
    told = podman.ask_telegram(MACHINE, "POST", "/compare", python=PYTHON)
    print(f"units: {told['marks']} answers shown as saved, {told['judgements']} stored; none lost, none twice")
    type_commands(*read_commands("Rollback"))
    podman.ask_telegram(MACHINE, "POST", "/go", python=PYTHON)
    answer("rolled back")
    told_of = type_commands("systemctl stop hromada-bot", "hromada database restore before.backup --yes")
    print(f"units: restored: {' '.join(told_of.split())}")
    podman.ask_telegram(MACHINE, "POST", "/forget", python=PYTHON)
    type_commands("systemctl start hromada-bot")
    podman.ask_telegram(MACHINE, "POST", "/go", python=PYTHON)
    answer("restored")
    print(f"units: failed: {show('--failed --no-legend') or 'none'}")


def main() -> None:
    """Try them, and remove the machine."""
    start_machine()
    try:
        try_units()
    except TrialFailed as failure:
        print(
            execute(MACHINE, "journalctl", "--no-pager", "-n", "60", "-u", "hromada-*", "-u", "telegram", check=False),
            file=sys.stderr,
        )
        sys.exit(f"units: {failure}")
    finally:
        if "KEEP" not in os.environ:
            run("podman", "rm", "-f", "-t", "2", MACHINE, check=False)


if __name__ == "__main__":
    main()
