"""One label an item from its votes: every method behind one function, ties settled by a named rule."""

from aggregation.consensus.labels import Accuracy, Consensus, Ties, accuracy
from aggregation.consensus.methods import NAMES, Method, consensus, from_gold

__all__ = ["NAMES", "Accuracy", "Consensus", "Method", "Ties", "accuracy", "consensus", "from_gold"]
