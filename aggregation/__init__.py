"""Agreement, gold labels and scores of people's votes: what needs no campaign and no database."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aggregation.library.answer_scores import score_answers
    from aggregation.library.found_labels import find_consensus
    from aggregation.library.measured_agreement import measure_agreement
    from aggregation.library.score_differences import compare_scores

__all__ = ["compare_scores", "find_consensus", "measure_agreement", "score_answers"]

_MODULES = {
    "compare_scores": "score_differences",
    "find_consensus": "found_labels",
    "measure_agreement": "measured_agreement",
    "score_answers": "answer_scores",
}


def __getattr__(name: str) -> Any:
    """Load what a notebook imports when it is asked for: commands and the bot import this package without pandas."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"aggregation.library.{_MODULES[name]}"), name)
