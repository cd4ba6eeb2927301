"""Data on disk: CSV, Parquet, generalised cells, settings in TOML, and files written whole or not at all."""
