"""All routers of pages."""

from __future__ import annotations

from sekisho.server.pages import accounts, attacks, home, people, referee, rejudgings, releases, results

PAGES = (home, accounts, people, releases, attacks, results, referee, rejudgings)
