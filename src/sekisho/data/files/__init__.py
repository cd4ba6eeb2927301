"""Data on disk: CSV, Parquet, the grammar of generalised cells, settings in TOML, and writing that is whole or not at all."""
