"""The notebook runs, shows what it has stored, and its numbers are those of the report that it makes.

WRITE_NOTEBOOK=1 stores what its cells show, without the pictures.
"""

from __future__ import annotations

import ast
import json
import os
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from _command import run_in_process

from tests.house.page_runner import ROOT

NOTEBOOK = ROOT / "docs/how-to/votes-to-report.ipynb"
COMMAND = "!hromada "


def run_cell(source: str, names: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """The outputs of a cell: what its commands print, and its last expression unless a semicolon ends it."""
    lines = source.splitlines()
    code = ast.parse("\n".join("" if line.startswith(COMMAND) else line for line in lines))
    last = code.body.pop() if code.body and isinstance(code.body[-1], ast.Expr) else None
    exec(compile(code, NOTEBOOK.name, "exec"), names)  # noqa: S102  # the notebook is ours
    printed = [run_command(line, folder) for line in lines if line.startswith(COMMAND)]
    outputs = [{"name": "stdout", "output_type": "stream", "text": split_lines("".join(printed))}] if printed else []
    if isinstance(last, ast.Expr):
        shown = eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)  # noqa: S307
        if not source.rstrip().endswith(";"):
            outputs.append(describe_result(shown))
    return outputs


def run_command(line: str, folder: Path) -> str:
    """What a command prints, in the folder of the notebook."""
    ran = run_in_process(
        line.removeprefix(COMMAND).split(),
        folder=folder,
        env={"PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}", "HOME": str(folder), "COLUMNS": "100"},
    )
    assert ran.code == 0, (line, ran.err)
    return ran.out


def describe_result(shown: Any) -> dict[str, Any]:
    """A result as Jupyter stores it."""
    data = {"text/plain": split_lines(repr(shown))}
    if hasattr(shown, "_repr_html_"):
        data = {"text/html": split_lines(shown._repr_html_())} | data
    return {"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}


def split_lines(text: str) -> list[str]:
    """The lines of a text as Jupyter stores them."""
    return text.splitlines(keepends=True)


def test_the_notebook_leads_from_votes_to_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell runs in its order; what is stored below it is what it shows."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    backend = mpl.get_backend()
    plt.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        found = {
            cell["id"]: run_cell("".join(cell["source"]), names, tmp_path)
            for cell in notebook["cells"]
            if cell["cell_type"] == "code"
        }
        assert len(plt.get_fignums()) == 3
    finally:
        plt.close("all")
        plt.switch_backend(backend)
    alpha = names["agreement"].headline
    told = json.loads((tmp_path / "results/agreement.json").read_text("utf-8"))
    rows = {row["name"]: row for row in told["mood"]["agreement"]["coefficients"]}
    for name in ("value", "low", "high", "new_people_low", "new_people_high"):
        assert rows[alpha.name][name] == round(getattr(alpha, name), 6)
    assert (tmp_path / "results/report.html").is_file()
    if "WRITE_NOTEBOOK" in os.environ:
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = found[cell["id"]]
        NOTEBOOK.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")
    stored = {cell["id"]: cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"}
    assert stored == found


def test_three_lines_lead_to_alpha(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first block of the page, in a folder with a file of votes: α first, with both intervals."""
    monkeypatch.chdir(tmp_path)
    rows = [
        (task, who, "yes" if (task * task + who * task) % 5 < 3 else "no") for task in range(20) for who in range(6)
    ]
    lines = ["task,worker,label", *(",".join(map(str, row)) for row in rows)]
    Path("votes.csv").write_text("\n".join(lines) + "\n", "utf-8")
    page = (ROOT / "docs/how-to/work-in-a-notebook.md").read_text("utf-8")
    block = page.partition("```python\n")[2].partition("```")[0]
    assert len(block.split("\n\n")[0].splitlines()) == 2
    assert len(block.splitlines()) == 4, "three lines, and a blank one below the imports"
    [output] = run_cell(block, {}, tmp_path)
    first = output["data"]["text/plain"][1].split()
    assert first[0] == "krippendorff_alpha_nominal"
    assert len([word for word in first if "." in word]) == 5


def test_the_wide_table_of_the_readme_becomes_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second block of the page by itself, with the table of the README; then people are scored by its gold."""
    monkeypatch.chdir(tmp_path)
    table = (ROOT / "README.md").read_text("utf-8").partition("```csv\n")[2].partition("```")[0]
    Path("votes.csv").write_text(table, "utf-8")
    _, _, second, *_ = (ROOT / "docs/how-to/work-in-a-notebook.md").read_text("utf-8").split("```python\n")
    names: dict[str, Any] = {}
    [output] = run_cell(second.partition("```")[0], names, tmp_path)
    assert output["data"]["text/plain"][1].split()[0] == "krippendorff_alpha_nominal"
    [scored] = run_cell("from aggregation import score_answers\nscore_answers(votes)", names, tmp_path)
    assert scored["data"]["text/plain"][1].split()[0] == "individual"
