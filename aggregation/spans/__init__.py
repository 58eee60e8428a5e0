"""Marked parts of a text: `votes` (spans per answer), `consensus`, `agreement` and `scores`."""
