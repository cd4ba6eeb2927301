"""A contest's server under load whose processes are killed: set-up, processes, clients, and the counting afterwards."""
