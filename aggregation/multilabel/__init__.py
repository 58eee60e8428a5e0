"""Any number of boxes per answer: `votes` (one yes or no per box), `consensus`, `agreement` and `scores`."""
