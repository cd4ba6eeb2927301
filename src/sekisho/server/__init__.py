"""What answers browsers: a contest's server for many, the desk for whoever sits at this machine.

::

    web/         what both share: headers, logs, answers, forms, languages, templates' frame, style sheets, scripts
    contest/     a contest: pages and an API over the referee's ledger, which lies in a database
    desk/        a file of one's own, from the first look to the verdict; nothing of a contest
    templates/   the pages of both, as templates; those of the desk in ``desk``

Nothing here is imported before it is needed: without the extra ``sekisho[server]`` the command line says so.
"""
