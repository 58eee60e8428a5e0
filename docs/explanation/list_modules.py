"""Write the list of all modules into architecture.md, from the first paragraphs of their docstrings.

python docs/explanation/list_modules.py [--check]: with --check nothing is written, and a list that is old is an error.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

PAGE = Path(__file__).with_name("architecture.md")
HEADING = "## Every module\n"
PACKAGES = ("bot", "annotation", "exports", "aggregation")
NOT_LISTED = "annotation/store/migrations/versions"


def list_modules() -> Iterator[str]:
    """The lines of the list: a heading for each folder, a line for each of its modules."""
    for name in PACKAGES:
        root = Path(import_module(name).__path__[0])
        for folder in sorted({path.parent for path in root.rglob("*.py")}):
            files = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
            shown = folder.relative_to(root.parent).as_posix()
            if files and shown != NOT_LISTED:
                yield f"\n**{shown}/**\n\n"
                yield from (f"- `{path.stem}`: {read_summary(path)}\n" for path in files)


def read_summary(path: Path) -> str:
    """The first paragraph of a module's docstring, on one line."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(docstring.split("\n\n")[0].split())


def main() -> None:
    """Renew the list, or say that it is old."""
    page = PAGE.read_text("utf-8")
    renewed = page.partition(HEADING)[0] + HEADING + "".join(list_modules())
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(renewed, "utf-8")
    elif renewed != page:
        sys.exit(f"The list of modules in {PAGE.name} is old. Renew it: make modules")


if __name__ == "__main__":
    main()
