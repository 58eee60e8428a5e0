"""Scores against gold: single answers, majorities, parts of answers, and what answers score without knowledge."""
