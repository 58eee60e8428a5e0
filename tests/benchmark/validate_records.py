"""Validates records of Every Eval Ever in a folder with the schemas in its wheel, and prints what is wrong.

A test starts it with the Python of the environment that has jsonschema and that wheel: validate_records.py FOLDER.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from jsonschema import Draft7Validator


def list_faults(folder: Path) -> Iterator[str]:
    """The faults of each record and of each of its lines."""
    schemas = resources.files("every_eval_ever.schemas")
    aggregate, sample = (
        Draft7Validator(json.loads(schemas.joinpath(f"{name}.schema.json").read_text("utf-8")))
        for name in ("eval", "instance_level_eval")
    )
    for file in sorted(folder.rglob("*.json*")):
        text, schema = file.read_text("utf-8"), sample if file.suffix == ".jsonl" else aggregate
        for number, part in enumerate(text.splitlines() if file.suffix == ".jsonl" else [text], start=1):
            for fault in schema.iter_errors(json.loads(part)):
                yield f"{file.name}, {number}: {fault.json_path}: {fault.message}"


if __name__ == "__main__":
    print("\n".join(list_faults(Path(sys.argv[1]))))
