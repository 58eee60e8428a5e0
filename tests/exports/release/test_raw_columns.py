"""Which derived file finds an altered raw value; docs/reference/release-folder.md lists what the hash alone finds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aggregation.errors import HromadaError
from exports.lm_eval.results import MANIFEST
from exports.release import ReleaseFolder, build_release_folder, folder
from exports.release.folder import README
from exports.release.raw_inputs import read_inputs, write_inputs
from exports.release_state import ReleaseInputs

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "release-folder.md"
FRAMES = {
    "responses": "inputs/data_sets/так-ні/responses.jsonl",
    "items": "inputs/data_sets/так-ні/items.jsonl",
    "texts": "inputs/benchmark/так-ні/texts.jsonl",
}


def list_documented() -> set[str]:
    """The columns that the page says the hash alone finds, as frame.column."""
    (row,) = re.findall(r"^\| the hash in README\.md alone \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    return set(re.findall(r"`(\w+\.\w+)`", row))


def list_columns() -> list[tuple[str, str]]:
    from exports.benchmark_items.sources import ITEM_TEXT_COLUMNS
    from exports.inputs import INPUT_COLUMNS, ITEM_COLUMNS

    known = {"responses": INPUT_COLUMNS, "items": ITEM_COLUMNS, "texts": ITEM_TEXT_COLUMNS}
    return [(frame, column) for frame, columns in known.items() for column in columns]


def alter(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return f"{value or ''}x"


@pytest.fixture(scope="module")
def without_pages(inputs: ReleaseInputs, built: ReleaseFolder) -> Iterator[ReleaseFolder]:
    """The release without its pages, the dearest part of it: what is altered must be found by a file for machines.

    `built` has its pages, since it is made before they are left out.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder, "build_release_pages", lambda *_: {})
        yield build_release_folder(inputs)


def test_only_pages_are_left_out(built: ReleaseFolder, without_pages: ReleaseFolder) -> None:
    assert sorted(built.files.keys() - without_pages.files.keys()) == ["report.html", "report.uk.html"]


@pytest.mark.parametrize(("frame", "column"), list_columns())
@pytest.mark.slow
def test_an_altered_raw_value_is_found(
    inputs: ReleaseInputs, without_pages: ReleaseFolder, frame: str, column: str
) -> None:
    raw = write_inputs(inputs)
    lines = raw[FRAMES[frame]].splitlines()
    place = json.loads(lines[0])["columns"].index(column)
    row = json.loads(lines[3])
    row[place] = alter(row[place])
    lines[3] = json.dumps(row, ensure_ascii=False)
    raw[FRAMES[frame]] = "\n".join(lines) + "\n"
    try:
        again = build_release_folder(read_inputs(raw)).files
    except (HromadaError, LookupError, TypeError, ValueError):
        found = {"nothing can be computed any more"}
    else:
        found = {
            path
            for path, own in without_pages.files.items()
            if again.get(path) != own and not path.startswith("inputs/")
        }
        assert README in found
    by_hash_alone = found <= {README, MANIFEST}
    assert by_hash_alone == (f"{frame}.{column}" in list_documented()), found
