"""Write columns.md, the columns of every published table, from the writers.

python docs/reference/list_columns.py [--check]: with --check nothing is written, and a page that is old is an error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from exports import (
    adjudicated_gold,
    class_tables,
    corrections,
    filtering,
    gold_tables,
    inputs,
    judges,
    lm_eval,
    model_comparison,
    opinion_tables,
    order_effects,
    panel_tables,
    people_beside_models,
    plan_files,
    preferences,
    project_comparison,
    score_variants,
    tables,
)
from exports.fact_tables import tables as facts
from exports.paper.folder_readme import FILES

FOLDER = Path(__file__).parent
PAGE = FOLDER / "columns.md"
INTRODUCTION = """\
# Columns of the published tables

The columns of each file in their order, written by `make reference`.
"""
TABLES: Mapping[str, Iterable[str]] = {
    "human_responses.csv": inputs.RESPONSE_COLUMNS,
    "gold.csv": gold_tables.GOLD_COLUMNS,
    "human_items.csv": gold_tables.HUMAN_ITEM_COLUMNS,
    "adjudications.csv": gold_tables.ADJUDICATION_COLUMNS,
    "gold_review.csv": adjudicated_gold.GOLD_REVIEW_COLUMNS,
    "reviews.csv": gold_tables.REVIEW_COLUMNS,
    "annotators.csv": tables.ANNOTATOR_COLUMNS,
    "baselines.csv": tables.BASELINE_COLUMNS,
    "human_baseline.csv": tables.SCORE_COLUMNS,
    "order_effects.csv": order_effects.ORDER_COLUMNS,
    "class_scores.csv": class_tables.CLASS_COLUMNS,
    "confusion_matrix.csv": class_tables.CONFUSION_COLUMNS,
    "trivial_baselines.csv": score_variants.TRIVIAL_COLUMNS,
    "panels.csv": panel_tables.PANEL_COLUMNS,
    "opinions.csv": opinion_tables.OPINION_COLUMNS,
    "opinion_differences.csv": opinion_tables.DIFFERENCE_COLUMNS,
    "opinion_items.csv": opinion_tables.ITEM_OPINION_COLUMNS,
    "preferences.csv": preferences.PREFERENCE_COLUMNS,
    "preference_ranking.csv": preferences.RANKING_COLUMNS,
    "positions.csv": preferences.POSITION_COLUMNS,
    "stories.csv": corrections.STORY_COLUMNS,
    "items.csv": filtering.FILTERED_COLUMNS,
    "removal_reasons.csv": filtering.REASON_COLUMNS,
    "exclusions.csv": facts.EXCLUSION_COLUMNS,
    "answers_per_item.csv": facts.PER_ITEM_COLUMNS,
    "plan_achieved.csv": facts.PLAN_COLUMNS,
    "sampling.csv": facts.SAMPLING_COLUMNS,
    "attrition.csv": facts.ATTRITION_COLUMNS,
    "qualification.csv": facts.QUALIFICATION_COLUMNS,
    "demographics.csv": facts.DEMOGRAPHIC_COLUMNS,
    "time.csv": facts.TIME_COLUMNS,
    "lint.csv": facts.LINT_COLUMNS,
    "model_items.csv": model_comparison.ITEM_COLUMNS,
    "model_mcnemar.csv": model_comparison.MCNEMAR_COLUMNS,
    "judges.csv": judges.JUDGE_COLUMNS,
    "judge_people.csv": judges.PEOPLE_COLUMNS,
    "plan.csv": plan_files.COLUMNS,
    "pilot_items.csv": project_comparison.ITEM_COLUMNS,
    "prompts.csv": lm_eval.PROMPT_COLUMNS,
    "answers.csv": lm_eval.ANSWER_COLUMNS,
    "scores.csv": lm_eval.SCORE_COLUMNS,
    "differences.csv": lm_eval.DIFFERENCE_COLUMNS,
    "human.csv": people_beside_models.HUMAN_COLUMNS,
    "people_less_models.csv": people_beside_models.DIFFERENCE_COLUMNS,
}
"""The columns of each table; those of other tables depend on the data."""


def link_page(file: str) -> str:
    """A link to the page that explains a file: its name begins a line in bold, or a row of a table."""
    pages = {path: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.md")) if path != PAGE}
    marks = (f"\n**{file}**", f"**{file}**", f"| `{file}` |", f"/{file}` |", f"`{file}`")
    path, text = next((path, text) for mark in marks for path, text in pages.items() if mark in text)
    return f"[{text.partition(chr(10))[0].removeprefix('# ')}]({path.name})"


def list_files() -> Iterator[str]:
    """Each file: a heading, what it is, its columns."""
    for file, columns in TABLES.items():
        words = FILES.get(file, "the same")
        yield f"\n## {file}\n\n"
        yield "" if words.startswith("the same") else f"{words[0].upper()}{words[1:]}. "
        yield f"Explained in {link_page(file)}.\n\n"
        yield f"{', '.join(f'`{column}`' for column in columns)}\n"


def main() -> None:
    """Renew the page, or say that it is old."""
    renewed = INTRODUCTION + "".join(list_files())
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(renewed, "utf-8")
    elif not PAGE.exists() or renewed != PAGE.read_text("utf-8"):
        sys.exit(f"{PAGE.name} is old. Renew it: make reference")


if __name__ == "__main__":
    main()
