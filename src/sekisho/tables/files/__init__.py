"""Tables as files: cells in CSV and Parquet, patterns, τ-ARGUS and JJ."""
