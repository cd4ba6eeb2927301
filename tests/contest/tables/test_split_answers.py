"""One file about all releases falls into the answers about each: no cell is lost, moved or given to another target."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.contest.answers.wide_file import split_answers
from sekisho.errors import FaultsError

TARGETS = ("ann", "bob", "eve")
CELLS = st.text(alphabet="01*é田 ", max_size=3)


def split_plainly(lines: list[list[str]], width: int) -> dict[str, bytes]:
    """Return the answers, cell by cell."""
    found: dict[str, bytes] = {}
    for place, target in enumerate(TARGETS):
        cells = [line[place * width : (place + 1) * width] for line in lines]
        if any(cell for line in cells for cell in line):
            found[target] = "".join(",".join(line) + "\n" for line in cells).encode()
    return found


@given(
    st.integers(1, 3).flatmap(
        lambda width: st.tuples(
            st.just(width),
            st.lists(st.lists(CELLS, min_size=3 * width, max_size=3 * width), min_size=1, max_size=6),
        )
    ),
    st.sampled_from(["\n", "\r\n"]),
)
def test_it_is_the_plain_way_faster(made: tuple[int, list[list[str]]], ending: str) -> None:
    width, lines = made
    with TemporaryDirectory() as place:
        path = Path(place) / "all.csv"
        path.write_bytes("".join(",".join(line) + ending for line in lines).encode())
        found = split_answers(path, width=width, targets=TARGETS, wanted=set(TARGETS))
        assert found == split_plainly(lines, width)
        assert split_answers(path, width=width, targets=TARGETS, wanted={"bob"}).keys() <= {"bob"}


def test_every_line_of_another_width_is_named(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    path.write_text("1,2,3\n1,2\n1,2,3,4\n")
    with pytest.raises(FaultsError) as caught:
        split_answers(path, width=1, targets=TARGETS, wanted=set(TARGETS))
    assert [(fault.row, fault.value) for fault in caught.value.faults] == [(2, "2"), (3, "4")]
    path.write_text("")
    assert split_answers(path, width=1, targets=TARGETS, wanted=set(TARGETS)) == {}
