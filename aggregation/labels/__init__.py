"""Closed labels, one per answer: `consensus` (a label per item), `agreement` (coefficients), `scores` (against gold).

Options that differ from item to item are labels too; methods that need shared classes refuse them with the reason.
"""
