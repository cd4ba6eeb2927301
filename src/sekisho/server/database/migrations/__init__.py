"""How the tables came to be what they are; run by ``sekisho.server.database.migrate``."""
