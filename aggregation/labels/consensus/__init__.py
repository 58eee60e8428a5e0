"""One label per item from closed labels: every method behind one function, ties settled by a named rule."""

from aggregation.labels.consensus.methods import METHOD_NAMES, Method, build_label_consensus, derive_anchors_and_skills
from aggregation.labels.consensus.ties import choose_tied, compute_label_accuracy

__all__ = [
    "METHOD_NAMES",
    "Method",
    "build_label_consensus",
    "choose_tied",
    "compute_label_accuracy",
    "derive_anchors_and_skills",
]
