"""Pages of records: plans, what came of a release at the gate, samples and frontiers."""
