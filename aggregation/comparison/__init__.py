"""Differences: models and people, two projects, tasks, positions and order, and a review of the gold."""
