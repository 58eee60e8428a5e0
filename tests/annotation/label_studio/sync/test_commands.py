"""`hromada label-studio` as a person runs it, from the file of a project to the answers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from _label_studio import Account, Studio

YES, NO = "так", "ні"
SAID = {"from_name": "answer", "to_name": "item:shown", "type": "choices", "value": {"choices": [YES]}}


@dataclass(frozen=True)
class Desk:
    """The installed command in a folder of its own, and the server that it speaks to."""

    folder: Path
    studio: Studio

    @property
    def command(self) -> Path:
        """The installed script."""
        return Path(sysconfig.get_path("scripts")) / "hromada"

    @property
    def variables(self) -> dict[str, str]:
        """All that the command is told."""
        return {
            "PATH": os.environ["PATH"],
            "COLUMNS": "160",
            "HROMADA_LABEL_STUDIO_URL": self.studio.url,
            "HROMADA_LABEL_STUDIO_TOKEN": self.studio.token,
        }

    def __call__(self, *arguments: str, code: int = 0, **env: str) -> str:
        """Run it; what it printed, or complained of where it is to fail."""
        done = subprocess.run(
            [self.command, *arguments], cwd=self.folder, env=self.variables | env, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == code, (arguments, done.stdout, done.stderr)
        return done.stdout if code != 2 else done.stderr

    def json(self, *arguments: str, code: int = 0) -> Any:
        """Its output as JSON."""
        return json.loads(self("label-studio", *arguments, "--json", code=code))


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory, label_studio: Studio) -> Path:
    """A folder with a started project of three items."""
    tmp_path = tmp_path_factory.mktemp("started")
    rows = [{"id": f"i{n}", "text": f"Речення {n}."} for n in range(3)]
    (tmp_path / "i.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "p.yaml").write_text(
        "project: p\ntitle: p\nlanguage: uk\ninstructions: Читайте.\noverlap: 1\n"
        f"question: {{type: choice, text: 'Так?', options: [{YES}, {NO}]}}\n"
        "items: {file: i.jsonl, id: id, show: [text]}\n",
        "utf-8",
    )
    made = Desk(tmp_path, label_studio)
    made("load", "p.yaml")
    made("start", "p")
    return tmp_path


@pytest.fixture
def desk(started: Path, tmp_path: Path, label_studio: Studio) -> Desk:
    """A copy of it for every test."""
    return Desk(Path(shutil.copytree(started, tmp_path / "copy")), label_studio)


def test_a_desk_from_link_to_pull(desk: Desk, accounts: Mapping[str, Account]) -> None:
    """An account becomes a person, her desk is filled, her answers come back; the tables say so."""
    olha = accounts["olha"]
    assert desk("label-studio", "link", olha.email).startswith(f"Account {olha.id} is ")
    again = desk("label-studio", "link", str(olha.id))
    code = again.split(" was already ")[1].removesuffix("'s.\n")
    told = desk("label-studio", "push", "p", "--person", code, "--number", "2")
    assert told == f"2 items wait at the desk of {code}: 2 new, 2 sent.\n"
    assert desk.json("push", "p", "--person", code, "--number", "9")["waiting"] == "nothing left"
    address = desk("label-studio", "open", "p", "--person", code, "--print").strip()
    remote = int(address.removeprefix(f"{desk.studio.url}/projects/").partition("/")[0])
    with desk.studio.api(olha.token) as api:
        tasks = api.get("/api/tasks", params={"project": remote}).json()["tasks"]
        assert api.post(f"/api/tasks/{tasks[0]['id']}/annotations/", json={"result": [SAID]}).status_code == 201
    (pulled,) = desk.json("pull")
    assert (pulled["answered"], pulled["aside"], pulled["problem"]) == (1, {}, None)
    assert "Pulled" in desk("label-studio", "pull", "p")
    found = desk.json("doctor")
    assert {"account": olha.id, "name": olha.email, "person": code} in found["accounts"]
    assert [(one["person"], one["tasks"], one["is"]) for one in found["desks"]] == [(code, 3, "well")]
    status = json.loads(desk("status", "p", "--json"))
    assert (status["answers"], status["in hand"]) == (1, 2)


def test_the_watch_ends_well_when_it_is_told_to(desk: Desk, accounts: Mapping[str, Account]) -> None:
    """It tells of an answer, and a signal ends it without a word."""
    taras = accounts["taras"]
    code = desk("label-studio", "link", taras.email).split(" is ")[1].removesuffix("'s.\n")
    remote = desk.json("push", "p", "--person", code, "--number", "1")["remote_id"]
    with desk.studio.api(taras.token) as api:
        task = api.get("/api/tasks", params={"project": remote}).json()["tasks"][0]["id"]
        api.post(f"/api/tasks/{task}/annotations/", json={"result": [SAID]}).raise_for_status()
    with subprocess.Popen(
        [desk.command, "label-studio", "watch", "--every", "1", "--listen", "127.0.0.1:0"],
        cwd=desk.folder, env=desk.variables | {"PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as watch:  # fmt: skip
        assert watch.stdout is not None
        assert watch.stdout.readline() == f"p, {code}: 1 answered.\n"
        watch.send_signal(signal.SIGTERM)
        out, err = watch.communicate(timeout=60)
    assert (watch.returncode, out, err) == (0, "", "")


def test_a_deleted_project_is_a_problem_of_its_desk(desk: Desk, accounts: Mapping[str, Account]) -> None:
    """Pull and doctor end with 1 and say what to do; push says the same."""
    code = desk("label-studio", "link", accounts["ivan"].email).split(" is ")[1].removesuffix("'s.\n")
    remote = desk.json("push", "p", "--person", code)["remote_id"]
    with desk.studio.api() as api:
        assert api.delete(f"/api/projects/{remote}/").status_code == 204
    assert "push --anew" in desk.json("pull", code=1)[0]["problem"]
    assert desk.json("doctor", code=1)["desks"][0]["is"] == "deleted there: push with --anew"
    assert "push --anew" in desk("label-studio", "push", "p", "--person", code, code=2)
    assert desk.json("push", "p", "--person", code, "--anew")["sent"] == 3


@pytest.mark.parametrize(
    ("arguments", "env", "says"),
    [
        (("pull",), {"HROMADA_LABEL_STUDIO_TOKEN": ""}, "There is no token for Label Studio."),
        (("doctor",), {"HROMADA_LABEL_STUDIO_URL": "http://127.0.0.1:1"}, "Label Studio does not answer."),
        (("doctor",), {"HROMADA_LABEL_STUDIO_TOKEN": "f" * 40}, "Label Studio does not know this token."),
        (("link", "nobody@example.org"), {}, "Label Studio has no account 'nobody@example.org'."),
        (("push", "p", "--person", "nobody"), {}, "Nobody has the pseudonym 'nobody'."),
        (("hand-over", "p"), {}, "Which items?"),
        (("watch", "--listen", "here"), {}, "'here' has no port."),
    ],
)
def test_what_is_wrong_is_a_sentence(desk: Desk, arguments: tuple[str, ...], env: dict[str, str], says: str) -> None:
    """On the error stream, with the code 2."""
    told = desk("label-studio", *arguments, code=2, **env)
    assert says in told
    assert told.startswith("hromada: ")
    assert "Traceback" not in told


def test_items_are_handed_over(desk: Desk) -> None:
    """Too long for a phone: none here."""
    assert desk.json("hand-over", "p", "--too-long") == {"project": "p", "chosen": 0, "handed_over": 0}
