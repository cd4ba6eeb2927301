"""Golden releases of global recoding: all originals of a release listed, and what the program says of one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, combinations_with_replacement, product
from math import factorial, prod
from pathlib import Path

from tests.gate.records.downcode.test_lattice_downcoding import is_least, make_data, make_method, read_at
from tests.red_team_cases import Golden, read_cases

from sekisho.attack.records.downcode.answer import Knows, Roster
from sekisho.gate.records.downcode.lattice_downcoding import downcode_lattice

Rows = list[tuple[int, ...]]


def list_originals(case: Golden) -> Iterator[list[Rows]]:
    """Give every original of a release once, class by class."""
    dealt = [combinations_with_replacement(list(product(*one["cells"])), one["records"]) for one in case["classes"]]
    for classes in product(*dealt):
        yield [list(rows) for rows in classes]


def count_orders(rows: Rows) -> int:
    return factorial(len(rows)) // prod(factorial(rows.count(one)) for one in set(rows))


def check_release(case: Golden) -> None:
    """Compare a release with its golden case."""
    vector, all_originals = tuple(case["levels"]), list(list_originals(case))
    least = [
        classes
        for classes in all_originals
        if is_least(list(chain(*classes)), vector, case["trees"], case["k"], case["loss"])
    ]
    assert (len(all_originals), len(least)) == (case["originals"]["rule"], case["originals"]["least"])
    ordered = [sum(count_orders(list(chain(*classes))) for classes in some) for some in (all_originals, least)]
    assert ordered == [case["ordered"]["rule"], case["ordered"]["least"]]
    cells = [one["cells"] for one in case["classes"]]
    for cell in case["cells"]:
        place = cells.index(cell["class"])
        assert sorted({row[cell["key"]] for classes in least for row in classes[place]}) == cell["left"]
    method, data = make_method(case["trees"], case["k"], case["loss"]), make_data(list(chain(*least[0])), len(vector))
    seen = read_at(method, data, vector)
    answer = downcode_lattice(method, seen, knows=Knows.LEAST, roster=Roster.ONE)
    assert all(seen.exchangeable)  # of every published label: the theorem speaks, for whoever reads the release alone
    assert answer.narrowed == 0
    assert all(cell["left"] == cell["label"] for cell in case["cells"])


def test_every_golden_release(shared: Callable[[str], Path]) -> None:
    cases = read_cases(shared, "downcode-lattice", "one")
    for case in cases:
        check_release(case)
    assert len(cases) == 18
