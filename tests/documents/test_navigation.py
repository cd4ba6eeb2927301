"""Every page of the documentation has one place in its navigation: the guide first, the decisions last."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from docs.make_reference import PAGES, PYTHON_GUIDE, TASKS, list_tasks, python_page, read_examples

import sekisho

ROOT = Path(__file__).parents[2]
NAVIGATION = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]


def list_pages() -> list[str]:
    places = [place for section in NAVIGATION for place in section.values()]
    return [page for place in places for page in ([place] if isinstance(place, str) else place)]


def test_every_page_has_one_place() -> None:
    docs = ROOT / "docs"
    pages = {str(page.relative_to(docs)) for page in docs.rglob("*.md")} | {
        page.removeprefix("docs/") for page in PAGES
    }
    assert sorted(list_pages()) == sorted(pages)


LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]+)?(?:#([^)\s]+))?\)")
FENCE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
BUILT = {(ROOT / page).resolve() for page in PAGES}


def list_anchors(page: Path) -> set[str]:
    """Return what can be linked to, as the site names it: by an identifier, else by the letters that are ASCII."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    named = [identifier for head in heads for identifier in re.findall(r"\{#([\w-]+)\}$", head)]
    plain = [re.sub(r"[^\w\- ]", "", head.lower(), flags=re.ASCII) for head in heads]
    return {*named, *(head.strip().replace(" ", "-") for head in plain)}


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    dead = list[str]()
    for place, anchor in LINK.findall(FENCE.sub("", page.read_text())):
        target = (page.parent / place).resolve() if place else page
        if target not in BUILT and not target.exists():
            dead.append(place)
        elif anchor and target.suffix == ".md" and target.exists() and anchor not in list_anchors(target):
            dead.append(f"{place}#{anchor}")
    assert dead == []


NAMED = re.compile(r"\b(?:tests|tests_browser|verify|bench|examples)/[\w/]+\.(?:py|toml|json)\b")


def test_files_that_pages_name_are_there() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {(page.name, name) for page in pages for name in NAMED.findall(page.read_text())}
    assert len(named) > 50
    assert sorted(one for one in named if not (ROOT / one[1]).exists()) == []


def test_the_guide_comes_first_and_decisions_last() -> None:
    names = [name for section in NAVIGATION for name in section]
    assert names == ["Home", "Guide", "日本語", "Reference", "Methods", "Proofs", "Decisions"]


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "methods").glob("*.md")), ids=lambda page: page.stem)
def test_a_method_is_told_on_about_two_screens(page: Path) -> None:
    assert len(page.read_text().split()) <= 1_200


def test_the_reference_has_every_public_name_under_a_task_with_an_example_and_methods() -> None:
    tasks = list_tasks()
    assert sorted(name for names in tasks.values() for name in names) == sekisho.__all__
    assert all(tasks.values())
    assert list(read_examples(PYTHON_GUIDE.read_text())) == list(TASKS)
    page = python_page()
    assert page.count("\n### ") == len(sekisho.__all__)
    assert "- `.apply(data, *, rng)`: Return the best release that the effort finds." in page
    assert "protect(frame: " in page
