"""The worker's room: the only part of the server that opens the referee's truth."""
