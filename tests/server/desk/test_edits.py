"""A control writes one line, keeps comments, and taken back leaves no trace."""

from __future__ import annotations

import pytest

from sekisho.errors import ParameterError
from sekisho.server.desk.edits import (
    DeskEdit,
    apply_edits,
    look_up,
    set_adversaries,
    set_find,
    set_key,
    set_keys,
    set_limit,
    set_methods,
    set_preset,
    tell_command,
    tell_lines,
)
from sekisho.server.desk.pages.table_edits import set_cell

FILES = {
    "recipe.toml": b'shape = "records"  # one row a person\noriginal = "a.csv"\nseed = 3\n\n[[methods]]\nname = "partition"\n'
    b'k = 5\n\n[[adversaries]]\nname = "prosecutor"\n\n# a remark at the end\n'
}


@pytest.mark.parametrize(
    "edits",
    [
        set_key("risk", 0.2),
        set_preset("japan-anonymously-processed"),
        set_keys(["age", "sex"]),
        set_key("keep", [{"sum": "age", "by": "sex"}]),
        set_key("keep", ["age", "age × sex", {"column": "sex", "within": 0.1}]),
        set_limit("classifier of illness", 0.1),
        set_find({"method": "partition", "k": [3, 25]}),
        set_methods([{"name": "lattice", "k": 3}, {"name": "partition", "k": 3}]),
        set_adversaries([{"name": "prosecutor", "keys": ["age"]}]),
    ],
)
def test_a_control_writes_what_it_says_and_keeps_the_rest(edits: tuple[DeskEdit, ...]) -> None:
    after = apply_edits(FILES, edits)
    assert [look_up(after, edit) for edit in edits] == [edit.value for edit in edits]
    assert b"# one row a person" in after["recipe.toml"]
    assert b"# a remark at the end" in after["recipe.toml"]
    assert tell_lines(FILES, edits)[0].lines
    back = [DeskEdit(file=edit.file, place=edit.place, value=look_up(FILES, edit)) for edit in edits]
    for edit in back:
        assert look_up(apply_edits(after, back), edit) == edit.value


def test_a_cell_is_a_line_and_the_last_one_takes_the_file_along() -> None:
    shown = apply_edits(FILES, set_cell(FILES, ("A", "cook; baker"), "status", "P"))
    dear = apply_edits(shown, set_cell(shown, ("A", "clerk"), "cost", 10.0))
    assert dear["cells.hst"] == b'A;"cook; baker";P\nA;clerk;C;10.0\n'
    assert b'apriori = "cells.hst"' in dear["recipe.toml"]
    less = apply_edits(dear, set_cell(dear, ("A", "clerk"), "cost", None))
    assert less == shown
    assert "cells.hst" not in apply_edits(less, set_cell(less, ("A", "cook; baker"), "status", None))
    with pytest.raises(ParameterError, match="cell"):
        set_cell(FILES, ("A",), "status", "X")
    assert tell_command(FILES) == "sekisho gate recipe.toml --seed 3 --out release"


def test_kept_things_in_blocks_become_one_line() -> None:
    """A list that somebody wrote as blocks can hold plain names afterwards, and the comments stay."""
    blocks = {"recipe.toml": FILES["recipe.toml"] + b'\n[[keep]]\nsum = "age"\n\n[[keep]]\ncolumn = "sex"\n'}
    after = apply_edits(blocks, set_key("keep", ["sex", {"sum": "age"}]))["recipe.toml"].decode()
    assert 'keep = ["sex", { sum = "age" }]' in after
    assert "# one row a person" in after
    assert "# a remark at the end" in after
