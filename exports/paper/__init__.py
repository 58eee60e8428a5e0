"""What goes into a paper: tables in LaTeX and Markdown, a paragraph in two languages, and the folder's README."""

from __future__ import annotations

from exports.paper.folder_readme import build_readme
from exports.paper.formats import format_markdown
from exports.paper.latex import format_latex
from exports.paper.panel_tables import build_panel_tables
from exports.paper.paragraph import write_paragraph
from exports.paper.result_tables import build_tables
from exports.release_state import ReleaseState

__all__ = ["build_paper_files", "build_readme"]


def build_paper_files(state: ReleaseState, *, stamp: str = "") -> dict[str, str]:
    """Build the tables and the paragraphs: path → content; every one of them carries the stamp, where there is one."""
    tables = (*build_tables(state, stamp=stamp), *build_panel_tables(state, stamp=stamp))
    return {
        **{f"tables/{table.name}.tex": format_latex(table) for table in tables},
        **{f"tables/{table.name}.md": format_markdown(table) for table in tables},
        "paragraph.md": write_paragraph(state, "en", stamp=stamp),
        "paragraph.uk.md": write_paragraph(state, "uk", stamp=stamp),
    }
