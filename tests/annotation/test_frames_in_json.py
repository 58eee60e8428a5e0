"""Tables that pandas wrote as JSON in another form than a list of objects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.errors import BadInput
from annotation.loading import tables

ROWS = [{"item": 1, "label": "так"}, {"item": 2, "label": "ні"}]
FORMS = {
    "columns": {"item": {"0": 1, "1": 2}, "label": {"0": "так", "1": "ні"}},
    "index": {"0": ROWS[0], "1": ROWS[1]},
    "split": {"columns": ["item", "label"], "index": [0, 1], "data": [[1, "так"], [2, "ні"]]},
    "list": {"item": [1, 2], "label": ["так", "ні"]},
}


@pytest.mark.parametrize("form", FORMS)
def test_a_table_of_pandas_is_read_in_each_of_its_forms(tmp_path: Path, form: str) -> None:
    """The rows are those of a list of objects."""
    path = tmp_path / "v.json"
    path.write_text(json.dumps(FORMS[form]), "utf-8")
    assert [row.values for row in tables.read_rows(path)] == ROWS


@pytest.mark.parametrize(
    "value",
    [
        {"item": {"7": 1, "9": 2}, "label": {"7": "так", "9": "ні"}},
        {"columns": ["label"], "index": ["a", "b"], "data": [["так"], ["ні"]]},
        {"columns": ["x", "x"], "index": [0], "data": [[1, 2]]},
        {"t1": {"ann": "так"}, "t2": {"ann": "ні"}},
        {"item": [1, 2], "label": ["так"]},
        {},
    ],
)
def test_a_table_whose_index_would_be_lost_is_refused(tmp_path: Path, value: object) -> None:
    """And so is an object that is no table."""
    path = tmp_path / "v.json"
    path.write_text(json.dumps(value), "utf-8")
    with pytest.raises(BadInput, match="not a list"):
        list(tables.read_rows(path))


def test_commas_at_the_ends_of_json_lines_are_no_matter(tmp_path: Path) -> None:
    """They are left over from a list."""
    path = tmp_path / "v.jsonl"
    path.write_text("".join(json.dumps(row) + ",\n" for row in ROWS), "utf-8")
    assert [row.values for row in tables.read_rows(path)] == ROWS
