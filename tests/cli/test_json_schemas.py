"""The files in docs/reference/json describe what the commands print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

if TYPE_CHECKING:
    from _command import Hromada

SCHEMAS = Path(__file__).parents[2] / "docs/reference/json"
VOTES = """\
picture,gold,ann,bob,eve,ivan,olha,taras
1,cat,cat,cat,cat,cat,cat,cat
2,dog,dog,dog,dog,dog,cat,dog
3,cat,cat,cat,dog,cat,cat,dog
4,dog,dog,cat,dog,dog,dog,dog
5,cat,cat,cat,cat,dog,cat,cat
6,dog,dog,dog,cat,dog,dog,dog
"""


@pytest.mark.parametrize("command", [file.name.partition(".")[0] for file in sorted(SCHEMAS.iterdir())])
def test_real_output_is_as_its_schema_says(hromada: Hromada, command: str) -> None:
    """A document with rows is valid; without its facts, or with another row, it is not."""
    hromada("new", "animals", "--from", hromada.write("votes.csv", VOTES))
    hromada("load", "animals/project.yaml")
    hromada("import", "animals")
    schema = jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{command}.schema.json").read_text("utf-8")))
    printed = hromada(command, "animals", "--json").json
    schema.validate(printed)
    [rows, *_] = [value for value in printed.values() if isinstance(value, list) and value]
    rows[0]["another"] = 1
    del printed["simulated"]
    assert {error.validator for error in schema.iter_errors(printed)} == {"additionalProperties", "required"}
