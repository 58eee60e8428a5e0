"""The files of Docker's compose are valid by the schema of the specification, and give nobody more than they need."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from annotation.settings import Settings, list_secret_names

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
FILES = ("compose.yaml", "compose.sqlite.yaml", "compose.scaled.yaml")
SCHEMA = resources.files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json"


def read(name: str) -> dict[str, Any]:
    """A file as YAML."""
    content: dict[str, Any] = YAML(typ="safe").load((DOCKER / name).read_text("utf-8"))
    return content


def resolve(name: str) -> dict[str, dict[str, Any]]:
    """The services of a file, each with what it extends, as compose merges them."""
    found = {}
    for service, own in read(name)["services"].items():
        extended = own.get("extends")
        base = resolve(extended["file"])[extended["service"]] if extended else {}
        merged = base | own
        for key in ("environment", "secrets", "volumes"):
            if isinstance(base.get(key), dict):
                merged[key] = base[key] | own.get(key, {})
        found[service] = merged
    return found


def list_problems(content: dict[str, Any]) -> list[str]:
    """What the schema refuses."""
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    return [problem.message for problem in validator.iter_errors(content)]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_valid_and_a_slip_in_it_is_not(name: str) -> None:
    content = read(name)
    assert list_problems(content) == []
    content["services"]["backup"]["read_onyl"] = True
    assert len(list_problems(content)) == 1


@pytest.mark.parametrize("name", FILES)
def test_what_runs_hromada_can_do_little(name: str) -> None:
    services = {key: one for key, one in resolve(name).items() if one["image"].startswith("hromada:")}
    assert services.keys() in ({"bot", "backup"}, {"worker", "backup"})
    for service in services.values():
        assert (service["read_only"], service["init"], service["cap_drop"]) == (True, True, ["ALL"])
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert (service["mem_limit"], service["pids_limit"]) == ("1g", 256)
    bot, backup = services.get("bot") or services["worker"], services["backup"]
    assert (bot["volumes"], backup["volumes"]) == (["state:/data"], ["state:/data", "backups:/backups"])


@pytest.mark.parametrize("name", FILES)
def test_secrets_are_files_and_settings_are_known(name: str) -> None:
    """Label Studio reads its token from the environment alone."""
    content, secret_names = read(name), set(list_secret_names()) | {"HROMADA_DATABASE_URL", "POSTGRES_PASSWORD"}
    for service, one in resolve(name).items():
        assert set(one.get("secrets", ())) <= set(content["secrets"])
        assert not secret_names & set(one.get("environment", ())), service
    names = {name for name in content["secrets"] if name.startswith("hromada_")}
    names |= {
        key.lower() for one in content["services"].values() for key in one.get("environment", ()) if "HROMADA" in key
    }
    assert {name.removeprefix("hromada_") for name in names} <= Settings.model_fields.keys()


def test_the_image_is_built_from_a_base_that_the_builder_pins() -> None:
    """A digest that nobody pulled is an invention; settings that it has can be overridden by files with secrets."""
    text = (DOCKER / "Dockerfile").read_text("utf-8")
    assert set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) == {"${PYTHON_IMAGE}"}
    assert re.search("sha256:[0-9a-f]", text) is None
    assert re.search("^USER 10001$", text, re.MULTILINE)
    assert "HROMADA_DATABASE_URL=" not in text
    assert "\nHEALTHCHECK " in text
