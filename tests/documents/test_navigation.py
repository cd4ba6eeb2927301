"""Every page of the documentation has one place in its navigation: the guide first, the decisions last."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAVIGATION = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]


def list_pages() -> list[str]:
    places = [place for section in NAVIGATION for place in section.values()]
    return [page for place in places for page in ([place] if isinstance(place, str) else place)]


def test_every_page_has_one_place() -> None:
    docs = ROOT / "docs"
    assert sorted(list_pages()) == sorted(str(page.relative_to(docs)) for page in docs.rglob("*.md"))


def test_the_guide_comes_first_and_decisions_last() -> None:
    names = [name for section in NAVIGATION for name in section]
    assert names == ["Home", "Guide", "日本語", "Reference", "Methods", "Proofs", "Decisions"]
