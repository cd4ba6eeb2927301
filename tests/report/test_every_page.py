"""Every page that a command writes is whole in Japanese, stands alone, says what it shows and opens at once."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.report.every_page import make_pages
from tests.report.pages.history.test_study import findings
from tests.report.pages.tables.test_page import NOBODY, Known

import sekisho
from sekisho.report.kit.html import render_page
from sekisho.report.pages.history.study import TITLE, study_blocks
from sekisho.report.pages.tables.page import SUPPRESSION, table_blocks
from sekisho.report.pages.tables.story import Story
from sekisho.tables.explain import CellReason, Chain
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Status

LARGEST = 3_000_000
NAMES = frozenset(
    {
        *("age", "born", "firm", "illness", "income", "sex", "smokes", "town"),  # columns of the small files
        *("bmi", "dep", "dia", "edu", "gen", "mar", "mets", "pir", "race"),
        *("all", "middle", "north", "old", "south", "young", "Total"),  # their values
        *("keyed", "rules", "tables", "towns", "tree"),  # files that a run read
        *("cells", "ages", "part", "population", "difference"),  # tables, and how populations are told apart
        *("rate", "odds", "cor", "iloss", "uniqrt", "kept", "lean", "pull", "extra", "width", "keys"),  # parameters
        *("drop", "harmless", "learnable", "sensitive", "min", "insiders"),  # what a recipe says
        *("effort", "people", "retention"),  # of a recipe: parameters in labels, and its title
        *("ordered", "deleted", "true"),  # keys of a recipe that a sentence names, and a value
        *(
            "NCP",
            "PRAM",
            "ABC",
            "RFM",
            "SUDA",
            "DIS",
            "DIS-SUDA",
            "log",
            "Clopper-Pearson",
            "PWS",
            "Cup",
            "csv",
            "own",
            "auto",
            "highs",
        ),  # terms
        *("Benedetti", "Franconi", "k-map", "presence"),
        *("sekisho", "protect", "pram", "gate", "advise", "--public", "public", "FILE"),  # commands to type
        *("review", "DIR", "ask", "approve", "refuse"),
        *("confidential", "proposed", "release", "recipe", "toml", "out", "parquet"),  # files of a run
    }
)
PLAIN_ENDING = re.compile(r"[るただうくつぬむすい]$")
POLITE = ("です", "ます", "ました", "でした", "ください")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Every page but that of the demo, which is the page of a history at the gate."""
    made = make_pages(tmp_path_factory.mktemp("pages"), demo=False)
    return {name: path.read_text() for name, path in made.items()}


def read_japanese(page: str) -> str:
    """Return what a Japanese reader sees, a line for each element; names in the provenance stay as they are."""
    for hidden in (
        r"<head>.*?</head>",
        r"<label.*?</label>",
        r'<section class="origin">.*?</section>',
        r'<span lang="en">.*?</span>',
        r'<div lang="en">.*?</svg></div>',
    ):
        page = re.sub(hidden, "\n", page, flags=re.DOTALL)
    page = re.sub(r"\b[0-9a-f]{16}\b", "", page)  # a digest
    return unescape(re.sub(r"<[^>]+>", "\n", page))


def test_there_is_a_page_for_every_command_that_writes_one(pages: Mapping[str, str]) -> None:
    verbs = {re.sub(r"-\d+.*", "", name) for name in pages}
    assert {"gate", "compare", "study", "plan-release", "plan-survival", "plan-pram", "risk", "protect-pram"} <= verbs
    assert {"table-suppress", "table-audit", "table-link", "table-audit-linked", "table-difference"} <= verbs


def test_japanese_pages_have_no_english_words(pages: Mapping[str, str]) -> None:
    left = {
        name: set(re.findall(r"[A-Za-z][A-Za-z'-]{2,}", read_japanese(page))) - NAMES for name, page in pages.items()
    }
    assert {name: words for name, words in left.items() if words} == {}


def test_japanese_sentences_are_of_one_style(pages: Mapping[str, str]) -> None:
    rude = {
        sentence
        for page in pages.values()
        for line in read_japanese(page).splitlines()
        for sentence in line.split("。")[:-1]
        if PLAIN_ENDING.search(sentence.rstrip("）")) and not sentence.rstrip("）").endswith(POLITE)
    }
    assert rude == set()


def test_all_japanese_sentences_of_the_pages_are_of_one_style() -> None:
    """Also those that no small file calls for."""
    rude: set[str] = set()
    for path in (Path(sekisho.__file__).parent / "report").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                rude |= {
                    each
                    for each in node.value.split("。")[:-1]
                    if PLAIN_ENDING.search(each.rstrip("）")) and not each.rstrip("）").endswith(POLITE)
                }
    assert rude == set()


def test_pages_stand_alone(pages: Mapping[str, str]) -> None:
    for name, page in pages.items():
        assert set(re.findall(r"https?://[^\s\"'<)]+", page)) <= {"http://www.w3.org/2000/svg"}, name
        assert not re.search(r"<(script|link|iframe|img|object|embed)|url\(|@import", page), name
        assert len(page.encode()) <= LARGEST, name


def test_nothing_is_said_by_a_tool_tip_alone(pages: Mapping[str, str]) -> None:
    for name, page in pages.items():
        assert " title=" not in page, name


def test_tables_and_figures_say_what_they_are(pages: Mapping[str, str]) -> None:
    for name, page in pages.items():
        assert not re.search(r"<th(?! scope=)[ >]", page.replace("<thead", "")), name
        figures = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
        assert all(re.search(r"<title>[^<]+</title><desc>[^<]+</desc>", each) for each in figures), name
        assert page.count('<p class="name">') == page.count("<figure>") == len(figures) / 2, name


def test_a_page_that_tells_of_people_says_who_may_read_it(pages: Mapping[str, str]) -> None:
    bare = {name for name, page in pages.items() if '<p class="edition' not in page}
    assert {re.sub(r"-\d+.*", "", name) for name in bare} <= {"gate", "plan-survival", "plan-pram"}


def large_table() -> Known:
    """Return a table of 70 × 6 × 70 cells, every inner one hidden."""
    sizes = {"a": 70, "b": 6, "c": 70}
    dims = tuple(Dimension.flat(name, [f"{name}-code-{n:03}" for n in range(size)]) for name, size in sizes.items())
    table = from_inner(dims, list(product(*(one.leaves for one in dims))), np.full(70 * 6 * 70, 123_456.0))
    status = np.full(len(table), Status.SECONDARY, table.status.dtype)
    status[table.position[table.margins]] = Status.SAFE
    hidden = np.flatnonzero(status)
    return Known(
        table=replace(table, status=status),
        cells=hidden,
        low=np.full(len(hidden), 100_000.25),
        high=np.full(len(hidden), 200_000.75),
    )


@pytest.mark.parametrize("tables", [1, 12])
def test_pages_of_large_tables_open_at_once(tables: int) -> None:
    big = large_table()
    chains = tuple(Chain(primary=n, equations=(n, n + 1, n + 2), through=(n,)) for n in range(5))
    why = [CellReason(cell=cell, chains=chains) for cell in range(1000)]
    story = Story(audited=big, disclosed=NOBODY, narrow=NOBODY, reasons=why)
    page = render_page(SUPPRESSION, table_blocks([story] * tables))
    assert len(page.encode()) <= LARGEST


def test_the_page_of_a_study_of_a_hundred_releases_opens_at_once() -> None:
    few = findings(critical=0.9)
    many = replace(
        few,
        releases=tuple(
            replace(few.releases[n % 3], name=f"folder/release-{n}.csv", utility=0.1 + n / 500) for n in range(100)
        ),
    )
    assert len(render_page(TITLE, study_blocks(many)).encode()) <= LARGEST


def test_every_page_is_made_in_a_folder_of_its_own(tmp_path: Path) -> None:
    """The maker leaves the working folder as it was."""
    before = Path.cwd()
    with pytest.raises(FileNotFoundError):
        make_pages(tmp_path / "missing")
    assert Path.cwd() == before
