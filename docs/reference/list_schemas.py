"""Write docs/reference/json/: JSON Schemas of what `hromada agreement --json` and `hromada baseline --json` print.

python docs/reference/list_schemas.py [--check]: with --check nothing is written, and a file that is old is an error.
Rows are described by the dataclasses that the commands print; tests/cli/test_json_schemas.py validates real output.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from aggregation.agreement.table import Coefficient
from aggregation.scores.performance import Unit

FOLDER = Path(__file__).with_name("json")
FACTS: dict[str, Any] = {
    "dataset": {"type": "string", "description": "The project's name, with its question where it has several."},
    "simulated": {"type": "boolean", "description": "Whether any answer is of simulated people."},
    "normalise": {"type": ["string", "null"], "description": "How texts were made alike before they were compared."},
}
"""What both documents have. Either may have further keys, of panels and of what only some questions have."""
ROWS: dict[str, tuple[type, tuple[str, ...]]] = {
    "agreement": (Coefficient, ("coefficients",)),
    "baseline": (Unit, ("units", "fresh_majorities", "pooled_units", "units_as_adjudicated")),
}
"""The commands with the class of their rows, and the keys that have such rows."""


def close_objects(schema: dict[str, Any]) -> dict[str, Any]:
    """Require every field of a dataclass and allow no other; all of them are printed."""
    if "properties" in schema:
        schema |= {"required": list(schema["properties"]), "additionalProperties": False}
    return schema


def build_schema(command: str) -> dict[str, Any]:
    """The schema of what a command prints for one project, without a breakdown."""
    row_class, keys = ROWS[command]
    row = TypeAdapter(row_class).json_schema(mode="serialization", ref_template="#/$defs/{model}")
    definitions = {name: close_objects(one) for name, one in row.pop("$defs", {}).items()}
    definitions[row_class.__name__] = close_objects(row)
    rows = {"type": "array", "items": {"$ref": f"#/$defs/{row_class.__name__}"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"hromada {command} --json",
        "type": "object",
        "properties": FACTS | dict.fromkeys(keys, rows),
        "required": [*FACTS, *keys],
        "$defs": definitions,
    }


def main() -> None:
    """Write the files, or compare them."""
    for command in ROWS:
        file = FOLDER / f"{command}.schema.json"
        renewed = json.dumps(build_schema(command), ensure_ascii=False, indent=1) + "\n"
        if "--check" not in sys.argv[1:]:
            file.parent.mkdir(exist_ok=True)
            file.write_text(renewed, "utf-8")
        elif not file.exists() or renewed != file.read_text("utf-8"):
            sys.exit(f"{file.name} is old. Renew it: make reference")


if __name__ == "__main__":
    main()
