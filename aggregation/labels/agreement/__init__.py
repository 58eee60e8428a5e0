"""Agreement of annotators in closed labels: coefficients, also by label, by annotator and over time."""

from aggregation.labels.agreement.breakdown import break_down_by_annotator, break_down_by_label, break_down_over_time
from aggregation.labels.agreement.coefficients import (
    DESCRIPTIONS,
    CoefficientName,
    compute_alpha,
    compute_label_agreement,
)
from aggregation.labels.agreement.people import (
    MOST_REFITS,
    OVERCONFIDENCE_WARNING,
    SelfAgreement,
    compute_agreement_with_others,
    compute_cohen_pairs,
    compute_self_agreement,
    estimate_class_confidence,
    estimate_mean_posterior,
)

__all__ = [
    "DESCRIPTIONS",
    "MOST_REFITS",
    "OVERCONFIDENCE_WARNING",
    "CoefficientName",
    "SelfAgreement",
    "break_down_by_annotator",
    "break_down_by_label",
    "break_down_over_time",
    "compute_agreement_with_others",
    "compute_alpha",
    "compute_cohen_pairs",
    "compute_label_agreement",
    "compute_self_agreement",
    "estimate_class_confidence",
    "estimate_mean_posterior",
]
