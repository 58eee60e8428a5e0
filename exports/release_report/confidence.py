"""What a cut of confidence would leave of the labels, and how many of these are right."""

from __future__ import annotations

from exports.release_state import ReleaseState
from exports.report.chapters import Chapter
from exports.results import DataSetResult
from exports.sensitivity import CUTS, draw_cut_panels, measure_cuts

HOW = (
    "The share of votes for the most frequent answer is the confidence of a label. The first picture shows how many are"
    " left if only those of at least that confidence are kept, the second how many of these are right where gold is"
    " known, control items among them. `hromada sensitivity` has other methods, and the rules of quality beside them."
)


def build_confidence_chapter(state: ReleaseState) -> Chapter:
    """Two panels of each data set of labels that has votes."""
    panels = [panel for number, result in enumerate(state.results) for panel in _draw_cuts(result, number)]
    return Chapter(id="confidence", title="Confidence of the labels", how=HOW, panels=tuple(panels))


def _draw_cuts(result: DataSetResult, number: int) -> list[str]:
    if result.data.kind != "label" or result.consensus is None:
        return []
    cuts = measure_cuts(result.data, method="majority", cuts=CUTS)
    return draw_cut_panels(result.data, cuts, prefix=f"cut-{number}-")
