"""Projects whose gold was made of their own votes: agreement of people with each other, in place of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exports.inputs import DataSet


def has_no_other_gold(data: DataSet) -> bool:
    """Whether all the gold of a data set was made of its own votes, so that nobody can be scored against it."""
    return data.has_circular_gold and bool(data.list_scoring_gold().isna().all())


def print_agreement_with_others(data: DataSet, *, json: bool) -> None:
    """Print how often each annotator says what the others say, where the gold was made of their own votes."""
    from aggregation.labels.agreement import MOST_REFITS, compute_agreement_with_others
    from bot.commands import terminal_output
    from bot.commands.data_sets import format_title
    from exports.results import CIRCULAR

    table = compute_agreement_with_others(data.build_answers().normalise_votes())
    columns = {"n": "n", "majority": "agreement_with_others", "dawid_skene": "agreement_with_others_dawid_skene"}
    frame = table.rename(columns=columns).rename_axis("annotator").reset_index().astype(object)
    rows = frame.mask(frame.isna(), None).to_dict("records")
    if json:
        facts = {"dataset": data.name, "simulated": data.simulated, "question": data.question, "kind": data.kind}
        terminal_output.print_json(facts | {"units": [], "reason": CIRCULAR, "annotators": rows})
        return
    fitted = "with the others' skills fixed" if len(table) > MOST_REFITS else "fitted again without the person"
    terminal_output.print_table(
        format_title(data, "agreement of each person with the others"),
        ("annotator", "votes", "majority of the others", "Dawid-Skene of the others"),
        [tuple(row.values()) for row in rows],
        notes=[
            f"No score: {CIRCULAR[0].lower()}{CIRCULAR[1:]}",
            f"Each person's own votes are left out of the label; Dawid-Skene {fitted}.",
        ],
    )
