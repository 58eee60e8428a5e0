"""README.md of a release: what the folder is, what lies in it, and how to prove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exports.paper.formats import escape_markdown
from exports.release_state import ReleaseState

FILES: Mapping[str, str] = {
    "report.html": "scores, agreement and the checklist as a page; it needs nothing else",
    "report.uk.html": "the same page in Ukrainian",
    "checklist.md": "the forty lines of the gate with their evidence",
    "report_checklist.json": "the same for machines",
    "facts.json": "what the organisers declared, and all facts about how people worked",
    "paragraph.md": "a paragraph for the paper",
    "paragraph.uk.md": "the same in Ukrainian",
    "tables/": "tables for the paper, in LaTeX and Markdown",
    "texts/": "instructions, consent and training verbatim, in every version, with an index",
    "heds.json": "the Human Evaluation Data Sheet 3.0, prefilled; `hromada-to-fill` names what is left to say",
    "human_responses.csv": "every answer, with the reason where it does not count",
    "gold.csv": "the label of each item, its origin and confidence",
    "human_items.csv": "right and all votes by item",
    "label_distributions.jsonl": "the votes for each option of an item, a line each",
    "annotators.csv": "a row for each person",
    "baselines.csv": "human baselines in the columns of Eval-UA-tion",
    "human_baseline.csv": "every metric, unit and variant, with intervals",
    "panels.csv": "scores, agreement and consensus of each panel of people, and what two panels differ by",
    "opinions.csv": "shares of points, medians and means, by the system that wrote a text",
    "opinion_differences.csv": "the mean opinion of one system less that of another",
    "opinion_items.csv": "mean, median and standardised points of each item",
    "preferences.csv": "wins, ties and losses of each two systems, with the win rate",
    "preference_ranking.csv": "strengths of systems, and the places that chance leaves open",
    "positions.csv": "who prefers the text that was shown first",
    "class_scores.csv": "precision, recall and F1 of each class",
    "confusion_matrix.csv": "gold against answers",
    "trivial_baselines.csv": "what needs no understanding scores",
    "order_effects.csv": "scores as people go on",
    "agreement.json": "every coefficient of agreement, or the reason why there is none",
    "exclusions.csv": "the flow from all answers to those that count",
    "answers_per_item.csv": "how many items have how many answers",
    "plan_achieved.csv": "what was planned, and what was reached",
    "sampling.csv": "samples with their seeds and frames",
    "attrition.csv": "from invited to finished",
    "qualification.csv": "who tried, passed and failed",
    "demographics.csv": "what people said of themselves; cells under 3 people are suppressed",
    "time.csv": "seconds an answer, over all and by person",
    "lint.csv": "what the item lint found",
    "models/": "models beside people on the same items",
    "adjudications.csv": "what adjudicators decided of each item",
    "gold_review.csv": "the review of the gold, and the ceiling of the score that follows",
    "reviews.csv": "what reviewers decided of each answer",
    "stories.html": "corrected texts, as a page",
    "stories.uk.html": "the same page in Ukrainian",
    "stories.csv": "the same as pairs of texts",
    "stories.jsonl": "the same, a line each",
    "stories.parquet": "the same for data frames",
    "stories.json": "the numbers over them",
    "items.html": "which items the filtering kept and removed, as a page",
    "items.uk.html": "the same page in Ukrainian",
    "items.csv": "the same, a row each",
    "items.jsonl": "the same, a line each",
    "items.parquet": "the same for data frames",
    "items.json": "the numbers over them",
    "removal_reasons.csv": "why items were removed",
    "CITATION.cff": "how to cite it, with people's scores on the tasks",
    "benchmark/": "tasks for the lm-evaluation-harness and a data set for Hugging Face",
    "benchmark-key/": "hidden gold: keep it, publish `benchmark/` alone",
    "inputs/": "the raw files from which everything here is computed",
    ".gitattributes": "keeps Git from changing line ends",
    "manifest.json": "the SHA-256 of every file, and the versions of the software",
}

CITATION = (
    "To cite: the authors, the paper, the title above and the hash below; take scores with their unit and interval from"
    " `tables/results.md`."
)


def build_readme(state: ReleaseState, *, stamp: str, status_line: str, inputs_sha256: str, files: Sequence[str]) -> str:
    """Build README.md.

    `status_line` says what the gate found, `inputs_sha256` is that of the raw files, `files` are the paths in the
    folder but its own.
    """
    facts = state.facts
    licences = {project.stated.get("licence", "") for project in facts.projects}
    licence = "; ".join(sorted(filter(None, licences))) or "not declared"
    rows = "".join(
        f"| `{name}` | {words} |\n"
        for name, words in FILES.items()
        if name in files
        or name == "manifest.json"
        or any(path.startswith(name) for path in files if name.endswith("/"))
    )
    kind, version = "programme" if facts.is_programme else "project", facts.versions.get("hromada", "")
    title = f"{stamp}: {facts.title}" if stamp else facts.title
    return "\n".join(
        [
            f"# {escape_markdown(title)}",
            "",
            f"Human answers of the {kind} `{facts.name}`, with everything by which they can be checked.",
            "",
            status_line,
            *(line for words in explain_stamp(stamp) for line in ("", words)),
            "",
            f"Licence: {escape_markdown(licence)}",
            "",
            "| file | what it is |",
            "|---|---|",
            rows.rstrip("\n"),
            "",
            "Annotators are keyed pseudonyms; no file holds a real id, a name or a clock time.",
            "",
            CITATION,
            "",
            "To prove that every number follows from the raw files:",
            "",
            "    hromada release --verify DIR",
            "",
            f"SHA-256 of the raw files: `{inputs_sha256}`. Name it in the paper, and no change can be hidden.",
            "",
            f"Made with hromada {version}.",
            "",
        ]
    )


def explain_stamp(stamp: str) -> list[str]:
    """What each mark of the stamp means."""
    meanings = {
        "SIMULATED": "SIMULATED: scripts answered, or somebody in a local chat. These numbers are not results.",
        "SECONDARY": "SECONDARY: people answered elsewhere, or facts about them are not known. Such lines are not"
        " evidenced, and not met.",
        "DRAFT": "DRAFT: lines of the checklist that stop a release are unmet. Do not cite it.",
    }
    return [words for mark, words in meanings.items() if mark in stamp]
