"""The facts of a release as tables and texts: exclusions, lint, plan, attrition, people, samples, and what was read."""

from exports.fact_tables.tables import build_fact_files, build_text_files

__all__ = ["build_fact_files", "build_text_files"]
