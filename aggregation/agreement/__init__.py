"""How far annotators agree: coefficients of closed labels, and what they look like by label, person and time."""

from aggregation.agreement.breakdown import by_annotator, by_label, over_time
from aggregation.agreement.coefficients import HOW, Agreement, Name, agreement
from aggregation.agreement.estimates import Basis, Coefficient
from aggregation.agreement.pairs import cohen_pairs
from aggregation.agreement.posterior import OVERCONFIDENT, class_confidence, mean_posterior
from aggregation.agreement.repeated import SelfAgreement, self_agreement

__all__ = [
    "HOW",
    "OVERCONFIDENT",
    "Agreement",
    "Basis",
    "Coefficient",
    "Name",
    "SelfAgreement",
    "agreement",
    "by_annotator",
    "by_label",
    "class_confidence",
    "cohen_pairs",
    "mean_posterior",
    "over_time",
    "self_agreement",
]
