"""Local recoding of records: classes of at least k whose keys are written alike, losing as little as possible."""
