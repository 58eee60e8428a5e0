"""Votes that stay on an engine: the same labels and the same agreement from DuckDB or Spark, by Ibis expressions."""
