"""The contest's server: pages and an API over the referee's ledger, which lies in a database.

::

    app · settings · site · metrics   the application and what its parts share
    database/    tables, migrations, the ledger, leased jobs, the audit
    auth/        accounts, passwords, tokens, sessions, throttles
    middleware/  what every request passes: who asks, how much, how often; headers, logs
    routes/      the API
    store, uploads                    files that are handed in
    vault/       the worker's: the referee's truth. Nothing of the web process imports it.
    backup, client

Nothing here is imported before it is needed: without the extra ``sekisho[server]`` the command line says so.
"""
