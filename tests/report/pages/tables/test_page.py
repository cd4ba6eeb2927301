"""The page must show what is published, mark what is not, tell every interval, and never a suppressed value."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sekisho.gate.tables.system import DifferenceBasis
from sekisho.report.kit.html import Html, render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.tables.grid import TableGrid, choose_grids, format_interval, format_value, order_codes
from sekisho.report.pages.tables.page import AUDIT, SUPPRESSION, table_blocks
from sekisho.report.pages.tables.story import Story
from sekisho.report.pages.tables.verdict import difference_blocks, optimum_facts
from sekisho.tables.explain import reasons
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Floats, Status, Table
from sekisho.tables.suppress.optimiser import PatternChoice
from sekisho.words import Language, translate

NOBODY = np.array([], dtype=np.intp)
# Hidden: 1237 (unsafe), 7919, 6151 and 3331, the four corners of a rectangle.
COUNTS = [[1237, 7919, 40], [6151, 3331, 41], [30, 31, 32]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Known:
    table: Table
    cells: NDArray[np.intp]
    low: Floats
    high: Floats


def known(dims: tuple[Dimension, ...], counts: NDArray[np.float64]) -> Known:
    keys = [()]
    for one in dims:
        keys = [(*key, code) for key in keys for code in one.leaves]
    table = from_inner(dims, keys, counts.ravel())
    status = table.status.copy()
    for place, key in enumerate(table.keys):
        if all(code in "ab" or code in "xy" for code in key):
            status[place] = Status.SECONDARY
    first = next(place for place in range(len(table)) if status[place])
    status[first] = Status.PRIMARY
    hidden = np.flatnonzero(status)
    return Known(
        table=replace(table, status=status, sliding_level=np.where(status == Status.PRIMARY, 5.0, 0.0)),
        cells=hidden,
        low=np.zeros(len(hidden)),
        high=np.where(np.arange(len(hidden)) == 0, np.inf, 9156.0),
    )


TWO = known((Dimension.flat("v", "abc"), Dimension.flat("w", "xyz")), np.array(COUNTS, dtype=np.float64))


def story(found: Known, **more: object) -> Story:
    return replace(Story(audited=found, disclosed=NOBODY, narrow=NOBODY), **more)


def test_a_suppressed_value_is_nowhere_on_the_page() -> None:
    blocks = table_blocks([story(TWO, reasons=list(reasons(TWO.table)))])
    for text in (
        render_page(SUPPRESSION, blocks),
        render_text(SUPPRESSION, blocks),
        render_text(SUPPRESSION, blocks, language=Language.JA),
    ):
        plainly = text.replace(",", "")
        for value in (1237, 7919, 6151, 3331):
            assert str(value) not in plainly
        assert "31" in plainly


def test_every_suppressed_cell_is_marked_and_shows_its_interval_without_a_mouse() -> None:
    html = TableGrid(audited=TWO, fixed=("Total", "Total")).render(Html())
    assert html.count('class="number primary"') == 1
    assert html.count('class="number secondary"') == 3
    assert ">P<small>[0, ∞]</small>" in html
    assert "title=" not in html
    assert ">S<small>[0, 9,156]</small>" in html


def test_the_terminal_shows_intervals_in_place() -> None:
    text = render_text(SUPPRESSION, table_blocks([story(TWO)]))
    assert "P [0, ∞]" in text
    assert "S [0, 9,156]" in text


@pytest.mark.parametrize("language", list(Language))
def test_verdicts(language: Language) -> None:
    good = render_text(SUPPRESSION, table_blocks([story(TWO)]), language=language)
    bad = render_text(
        SUPPRESSION, table_blocks([story(TWO, disclosed=TWO.cells[:2], narrow=TWO.cells[:1])]), language=language
    )
    assert "[OK]" in good
    assert "[NO]" in bad
    assert {"en": "2 suppressed cells can be derived exactly", "ja": "2 個の秘匿セルが一意に復元でき"}[language] in bad


def test_the_explanation_names_cells_and_equations() -> None:
    text = render_page(SUPPRESSION, table_blocks([story(TWO, reasons=list(reasons(TWO.table)))]))
    assert "Why each of 3 further cells is suppressed" in text
    assert "w=Total at v=a" in text


def test_sums_that_an_attacker_lacks_are_not_told() -> None:
    # The grand total is hidden: then no level's sum may be told, for each would give it away.
    status = TWO.table.status.copy()
    status[TWO.table.position["Total", "Total"]] = Status.SECONDARY
    table = replace(TWO.table, status=status)
    hidden = np.flatnonzero(status)
    more = Known(table=table, cells=hidden, low=np.zeros(len(hidden)), high=np.full(len(hidden), 9.0))
    total = f"{int(TWO.table.value[TWO.table.position['Total', 'Total']]):,}"
    assert total in render_page(SUPPRESSION, table_blocks([story(TWO)]))
    assert total not in render_page(SUPPRESSION, table_blocks([story(more)]))


def test_three_dimensions_are_shown_slice_by_slice() -> None:
    rng = np.random.default_rng(1)
    dims = (Dimension.flat("v", "abc"), Dimension.flat("u", "ab"), Dimension.flat("w", "xyz"))
    found = known(dims, rng.integers(9, 99, (3, 2, 3)).astype(np.float64))
    parts, left = choose_grids(found)
    assert [part.caption for part in parts] == ["v × w, u=a", "v × w, u=b"]
    assert left == 0
    assert choose_grids(found, most=1)[1] == 1


def test_one_dimension_and_large_tables_fit() -> None:
    line = known((Dimension.flat("v", "abcd"),), np.array([3.0, 4.0, 5.5, 6.0]))
    assert ">P<small>[0, ∞]<" in TableGrid(audited=line, fixed=("Total",)).render(Html())
    assert "5.5" in render_text(SUPPRESSION, table_blocks([story(line)]))
    small = TableGrid(audited=TWO, fixed=("Total", "Total"), most=(2, 2)).render(Html())
    assert "without 2 rows and 2 columns" in small
    assert ">Total<" in small


def test_the_sums_of_a_tree_stand_out_and_stay() -> None:
    tree = Dimension(name="v", parent={"n": "Total", "a": "n", "b": "n", "c": "Total"})
    found = known((tree, Dimension.flat("w", "xyz")), np.array(COUNTS, dtype=np.float64))
    whole = TableGrid(audited=found, fixed=("Total", "Total")).render(Html())
    assert '<tr class=sum><th scope="row">n</th>' in whole
    assert whole.count("class=sum") == 1
    # n hides nothing, but without it the leaves hang in the air
    small = TableGrid(audited=found, fixed=("Total", "Total"), most=(3, 4)).render(Html())
    assert [f'scope="row">{code}<' in small for code in ("Total", "n", "a", "b", "c")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_unsafe_differences_and_what_was_not_asked_are_told() -> None:
    cell = int(TWO.cells[0])
    safe = render_text(SUPPRESSION, difference_blocks(TWO, [cell], []))
    assert "none of 1 unsafe differences" in safe
    assert "[0, ∞]" in safe
    tight = render_text(SUPPRESSION, difference_blocks(TWO, [cell], [cell]))
    assert "Not safe" in tight
    assert "too narrow" in tight
    promised = difference_blocks(TWO, [cell], [], basis=DifferenceBasis.BOUNDS)
    assert "Promised if nobody contributes to a part and beside it" in render_text(SUPPRESSION, promised)
    assert "Safe" not in render_text(SUPPRESSION, promised)
    assert "Of 3 further cells" in render_text(SUPPRESSION, table_blocks([story(TWO, reasons=[], unasked=3)]))


def test_numbers_are_written_plainly() -> None:
    assert [format_value(value) for value in (3.0, 1234567.0, 0.1 + 0.2, -2.5, -np.inf)] == [
        "3",
        "1,234,567",
        "0.3",
        "-2.5",
        "−∞",
    ]
    assert format_interval(TWO, int(TWO.cells[1])) == "[0, 9,156]"


def test_what_the_optimiser_said_is_told() -> None:
    words = render_text(
        SUPPRESSION,
        table_blocks(
            [
                story(
                    TWO,
                    answer=optimum_facts(
                        cost=4, bound=3, gap=0.25, optimal=False, seconds=1.0, choice=PatternChoice(kept=1)
                    ),
                )
            ]
        ),
    )
    assert "best found in the time" in words
    assert "25%" in words


def test_codes_stand_as_people_count_and_those_of_a_tree_as_the_tree_has_them() -> None:
    sizes = ["Total", "1-4", "10-19", "100+", "5-9"]  # as sorting by text leaves them
    assert order_codes(sizes, "Total", frozenset()) == ["Total", "1-4", "5-9", "10-19", "100+"]
    assert order_codes(sizes, "Total", frozenset({"10-19"})) == sizes
    long = sorted(["1" + "0" * 5000, "2", "10"])
    assert order_codes(long, "Total", frozenset()) == ["2", "10", "1" + "0" * 5000]
    assert order_codes(["007", "06"], "Total", frozenset()) == ["06", "007"]
    assert order_codes(["young", "middle", "old"], "Total", frozenset()) == ["young", "middle", "old"]
    assert order_codes(["a10", "a9", "²"], "Total", frozenset()) == ["a9", "a10", "²"]


@given(st.lists(st.integers(0, 10**6), unique=True))
def test_plain_numbers_are_ordered_by_size(numbers: list[int]) -> None:
    assert order_codes(sorted(map(str, numbers)), "Total", frozenset()) == list(map(str, sorted(numbers)))


def test_sizes_are_counted_in_the_grid_itself() -> None:
    sized = known(
        (Dimension.flat("size", ["1-4", "10-19", "5-9", "a"]), Dimension.flat("w", "xy")), np.arange(8.0) + 20
    )
    html = TableGrid(audited=sized, fixed=("Total", "Total")).render(Html())
    assert re.findall(r'scope="row">([^<]*)<', html) == ["Total", "1-4", "5-9", "10-19", "a"]


def test_tables_come_before_reasons_and_reasons_are_folded() -> None:
    why = list(reasons(TWO.table))
    together = story(TWO, name="together", pictures=False, reasons=why)
    stories = [together, story(TWO, name="first"), story(TWO, name="second")]
    html = render_page(SUPPRESSION, table_blocks(stories))
    grids = [match.start() for match in re.finditer('class="grid"', html)]
    folds = [match.start() for match in re.finditer("<details>", html)]
    assert len(grids) == 2
    assert max(grids) < min(folds) < html.index("If the cell on the left were published")
    assert ">first: The intervals" in html.replace("</span>", "").replace('<span lang="en">', "")


def test_an_audit_and_a_suppression_have_titles_of_their_own() -> None:
    assert AUDIT != SUPPRESSION
    assert translate(AUDIT, Language.JA) != translate(SUPPRESSION, Language.JA)
