"""Files beyond memory: the same questions, put to polars, DuckDB or Spark."""
