"""Write docs/gallery.md: every campaign in examples/ with what its project file says was published.

python docs/reference/list_gallery.py [--check]: with --check nothing is written, and a page that is old is an error.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
PAGE = Path(__file__).parents[1] / "gallery.md"
BENCHMARKS = {
    "eval-ua-tion": "Eval-UA-tion",
    "tape": "TAPE",
    "russian-superglue": "Russian SuperGLUE",
    "rucola": "RuCoLA",
    "ruatd": "RuATD",
}
"""The folders of examples/ with campaigns, by their names in publications."""
OURS = {
    "russian-superglue/parus": "accuracy 0.984, α 0.864",
    "russian-superglue/rcb": "α 0.178",
    "russian-superglue/rwsd": "α 0.165",
}
"""Figures of hromada from the raw votes of a publication, as tests/cli/test_real_votes.py finds them."""
PICTURES_IN_A_ROW = 4
INTRODUCTION = """\
# Gallery of campaigns

Start from the campaign of a published benchmark: open its project file, or answer it in your browser.

```sh
make try PROJECT=examples/eval-ua-tion/lmes-wis.yaml
```

The project files follow the publications. Their few items are ours, so that you can try them; comments mark settings
that are not published. *Published* has the figures of the publications, as each file quotes them. *Ours* has what
hromada computes from the votes that were published with them, where there are any; α is Krippendorff's.
`make reference` writes this page, `make pictures` the pictures.
"""


def list_questions(project: dict[str, Any]) -> str:
    """Return the types of a campaign's questions, each once."""
    questions = project.get("questions") or [project["question"]]
    return ", ".join(dict.fromkeys(str(one["type"]) for one in questions))


def describe_overlap(project: dict[str, Any]) -> str:
    """Return how many people answer an item, as `3` or `3 to 5`."""
    overlap = project.get("overlap", "")
    if not isinstance(overlap, dict):
        return str(overlap)
    return f"{overlap['min']} to {overlap['max']}" if "min" in overlap else str(overlap.get("each", ""))


def describe_published(project: dict[str, Any]) -> str:
    """Return the published figures by their names, or that there are none."""
    scores = project.get("published", {}).get("scores", {})
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in scores.items()) or "none published"


def show_pictures(folder: str, names: list[str]) -> str:
    """Return the first items of campaigns, several in a row, each below its name."""
    parts = []
    for first in range(0, len(names), PICTURES_IN_A_ROW):
        row = names[first : first + PICTURES_IN_A_ROW]
        pictures = (f"![The first item of {name} on a phone](pictures/gallery/{folder}-{name}.png)" for name in row)
        parts.append(f"| {' | '.join(row)} |\n{'|---' * len(row)}|\n| {' | '.join(pictures)} |\n")
    return "\n".join(parts)


def build_page() -> str:
    """Return the page."""
    parts = [INTRODUCTION]
    for folder, name in BENCHMARKS.items():
        rows = ["| Campaign | Questions | Answers per item | Published | Ours |", "|---|---|---|---|---|"]
        names = []
        sources: dict[str | None, None] = {}
        for path in sorted((ROOT / "examples" / folder).glob("*.yaml")):
            project = YAML(typ="safe").load(path)
            sources[project.get("published", {}).get("source")] = None
            names.append(path.stem)
            ours = OURS.get(f"{folder}/{path.stem}", "–")
            cells = (list_questions(project), describe_overlap(project), describe_published(project), ours)
            rows.append(f"| {path.stem} | {' | '.join(cells)} |")
        cited = "; ".join(source for source in sources if source)
        parts.append(f"\n## {name}\n\n{cited}. Project files: `examples/{folder}/NAME.yaml`.\n\n")
        parts.append(show_pictures(folder, names) + "\n" + "\n".join(rows) + "\n")
    return "".join(parts)


def main() -> None:
    """Write the page, or compare it."""
    page = build_page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page, "utf-8")
    elif PAGE.read_text("utf-8") != page:
        sys.exit("gallery.md is old. Renew it: make reference")


if __name__ == "__main__":
    main()
