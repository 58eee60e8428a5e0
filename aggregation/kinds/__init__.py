"""Consensus, agreement and scores of answers of any kind: labels, boxes, texts, corrected texts, parts of a text."""

from aggregation.kinds.agreeing import agreement_of, breakdown_of
from aggregation.kinds.answers import Answers, Kind, as_compared, is_right
from aggregation.kinds.labels import accuracy_of, consensus_of
from aggregation.kinds.scores import performance_of

__all__ = [
    "Answers", "Kind", "accuracy_of", "agreement_of", "as_compared", "breakdown_of", "consensus_of", "is_right",
    "performance_of",
]  # fmt: skip
