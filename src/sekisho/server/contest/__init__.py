"""The contest's server: pages and an API over the referee's ledger, which lies in a database.

::

    app · settings · site · metrics   the application and what its parts share
    database/    tables, the ledger, leased jobs, the audit; migrations/ how the tables came to be
    auth/        accounts, passwords, tokens, sessions, throttles
    middleware/  what every request passes: who asks, how much, how often
    routes/      the API
    pages/       what people see
    store, uploads                    files that are handed in
    vault/       the worker's: the referee's truth. Nothing of the web process imports it.
    backup, client
"""
