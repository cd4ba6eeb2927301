"""Local recoding of records that do not fit in memory: coarse cuts first, then each part by itself."""
