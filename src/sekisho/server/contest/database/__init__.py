"""The contest in a database: its ledger, what follows from it, leased jobs, the audit."""
