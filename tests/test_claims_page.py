"""Every claim of the sources has a standing and a command, and what the page names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sekisho.cli.door import VERBS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("|") and not line.startswith(("| claim", "|---"))]
STANDINGS = ("holds", "refuted", "open", "done")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:40])
def test_each_claim_has_a_standing_and_something_that_shows_it(row: str) -> None:
    _, claim, standing, shown, _ = re.split(r"(?<!\\)\|", row)
    assert claim.strip()
    assert standing.strip().startswith(STANDINGS)
    assert shown.strip()


def test_commands_campaigns_tests_and_pages_exist() -> None:
    for verb in re.findall(r"`sekisho ([a-z-]+)", PAGE):
        assert verb in VERBS
    for path in re.findall(r"`(verify/[\w/]+\.py)", PAGE) + re.findall(r"`pytest ([\w/]+\.py)", PAGE):
        assert (ROOT / path).is_file(), path
    for path in re.findall(r"\]\(([\w/.-]+\.md)\)", PAGE):
        assert (ROOT / "docs" / path).is_file(), path


def test_all_five_sources_are_there() -> None:
    assert len(re.findall(r"^## ", PAGE, flags=re.MULTILINE)) == 5
