"""Published files: what spreadsheets may not run, what a failure may not break, and the same bytes every time."""

from __future__ import annotations

import csv
import io
import os
import re
import stat
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregation.errors import HromadaError
from exports import writers

DEFUSED = [
    ("=1+1", "'=1+1"),
    ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
    ("-так", "'-так"),
    ("@SUM(A1)", "'@SUM(A1)"),
    ("\t=1", "'\t=1"),
    ("\r=1", "'\r=1"),
    ("\n=1", "'\n=1"),
    ("＝1+1", "'＝1+1"),
    ("-", "'-"),
    ("-1+1", "'-1+1"),
    ("'=1", "''=1"),
    ("-0.5", "-0.5"),
    ("+3", "+3"),
    ("-1e-3", "-1e-3"),
    ("-1,5", "-1,5"),
    ("'так'", "'так'"),
    ("п'ять", "п'ять"),
    ("1=1", "1=1"),
    ("", ""),
]


def unescape_cell(cell: str) -> str:
    """What a reader does: the one rule in the description of `exports/writers`."""
    return cell[1:] if re.match(r"'+[=+\-@＝＋－＠\t\r\n]", cell) else cell


@pytest.mark.parametrize(("text", "cell"), DEFUSED)
def test_text_that_a_spreadsheet_would_run_gets_one_apostrophe_and_nothing_else_does(text: str, cell: str) -> None:
    """A formula is defused, a plain number is not, and a reader gets the text back."""
    assert writers.escape_cell(text) == cell
    assert unescape_cell(cell) == text


@given(st.text(alphabet="'=+-@\t\r\n0.5так", max_size=6))
def test_every_text_comes_back_from_its_cell(text: str) -> None:
    """The one rule for readers undoes the defusing of any text, and no cell begins with a formula's sign."""
    cell = writers.escape_cell(text)
    assert unescape_cell(cell) == text
    assert cell[:1] not in tuple("=@\t\r\n")


def test_a_frame_becomes_this_text() -> None:
    """Gaps are empty, truth values are words, whole numbers stay whole, text is quoted where it must be."""
    frame = pd.DataFrame(
        {
            "text": ['каже "так", ні', "рядок\rдругий", "=1", None],
            "number": [1.0, np.nan, -0.5, 1e-7],
            "truth": [True, False, None, np.bool_(True)],
            "whole": pd.Series([3, pd.NA, -2, 0], dtype="Int64"),
        }
    )
    assert writers.format_csv(frame) == (
        'text,number,truth,whole\n"каже ""так"", ні",1,true,3\n"рядок\rдругий",,false,\n\'=1,-0.5,,-2\n,1e-07,true,0\n'
    )


@given(st.lists(st.lists(st.text(alphabet='a,"\r\n ', max_size=4), min_size=2, max_size=2), max_size=5))
def test_any_csv_reader_finds_the_cells_again(rows: list[list[str]]) -> None:
    """Line breaks of every kind, quotes and commas inside cells survive Python's reader."""
    text = writers.format_csv(pd.DataFrame(rows, columns=["a", "b"], dtype=object))
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert [[unescape_cell(cell) for cell in row] for row in read] == [["a", "b"], *rows]


def test_json_has_sorted_keys_and_letters_as_they_are() -> None:
    """The same content in another order of keys is the same text."""
    assert (
        writers.format_json({"я": [1.5, None], "а": "ні"}) == '{\n  "а": "ні",\n  "я": [\n    1.5,\n    null\n  ]\n}\n'
    )
    with pytest.raises(ValueError, match="not JSON compliant"):
        writers.format_json({"a": float("nan")})


def test_files_appear_with_exact_bytes_and_nothing_beside_them(tmp_path: Path) -> None:
    """UTF-8 without a mark, line ends as given, readable by all, no temporary file left, paths sorted."""
    folder = tmp_path / "new" / "deep"
    paths = writers.write_files(folder, {"b.csv": "так\n", "a.html": "x\r\ny\n"})
    assert paths == (folder / "a.html", folder / "b.csv")
    assert [path.read_bytes() for path in paths] == [b"x\r\ny\n", "так\n".encode()]
    assert sorted(path.name for path in folder.iterdir()) == ["a.html", "b.csv"]
    assert stat.S_IMODE(paths[0].stat().st_mode) == writers.FILE_MODE


def test_a_failing_second_file_leaves_all_old_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk fills while the second file is written, the first keeps its old content too."""
    writers.write_files(tmp_path, {"a.csv": "old a", "b.csv": "old b"})
    flushed = []

    def full(handle: int) -> None:
        flushed.append(handle)
        if len(flushed) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(HromadaError) as caught:
        writers.write_files(tmp_path, {"a.csv": "new a", "b.csv": "new b"})
    assert str(caught.value) == (f"{tmp_path / 'b.csv'}: The disk is full. Make room on it, then try again.")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.csv": "old a", "b.csv": "old b"}


def test_half_a_character_is_named_and_changes_nothing(tmp_path: Path) -> None:
    """A lone surrogate cannot be written as UTF-8; the message says where it stands."""
    writers.write_files(tmp_path, {"a.csv": "old"})
    with pytest.raises(HromadaError, match="Half a character") as caught:
        writers.write_files(tmp_path, {"a.csv": "new", "b.csv": "кіт \ud83d"})
    assert "кіт" in caught.value.problem
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.csv": "old"}


def test_a_folder_in_the_way_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """A directory with the name of a file stops the export, and the file beside it stays as it was."""
    writers.write_files(tmp_path, {"a.csv": "old"})
    (tmp_path / "b.csv").mkdir()
    with pytest.raises(HromadaError, match=r"b\.csv: There is a folder where this file has to go\. Move it away"):
        writers.write_files(tmp_path, {"a.csv": "new", "b.csv": "new"})
    assert (tmp_path / "a.csv").read_text() == "old"


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    """The message says that the folder's name is taken, not that a file could not be opened."""
    (tmp_path / "out").write_text("mine")
    with pytest.raises(HromadaError, match="A file has that name: move it away"):
        writers.write_files(tmp_path / "out", {"a.csv": "new"})
    with pytest.raises(HromadaError, match="Part of that path is a file"):
        writers.write_files(tmp_path / "out" / "deeper", {"a.csv": "new"})
    assert (tmp_path / "out").read_text() == "mine"


def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No permission gives a sentence with the file and the remedy (the refusal is played: root may write anywhere)."""

    def refused(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "mkstemp", refused)
    with pytest.raises(
        HromadaError, match=r"a\.csv: .* \(Permission denied\)\. Allow writing there, or choose another"
    ):
        writers.write_files(tmp_path, {"a.csv": "new"})
