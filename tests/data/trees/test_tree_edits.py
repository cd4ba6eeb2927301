"""A tree changed by hand holds every value that it held, or the change is refused with all that is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.trees.test_tree_rule import make_column

from sekisho.data.frame.dataset import Kind
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_edits import (
    add_group,
    add_values,
    find_strangers,
    join_groups,
    list_strange_rows,
    move_codes,
    remove_groups,
    rename_group,
)
from sekisho.errors import FaultsError

JOBS = Tree.of(
    [("hands", "*"), ("desk", "*"), ("driver", "hands"), ("cook", "hands"), ("clerk", "desk"), ("monk", "*")]
)


def test_leaves_are_moved_and_an_empty_group_goes() -> None:
    assert move_codes(JOBS, ["clerk"], "hands").children == {
        "*": ("hands", "monk"),
        "hands": ("driver", "cook", "clerk"),
    }
    assert move_codes(JOBS, ["cook"], "hands", before="driver").children["hands"] == ("cook", "driver")
    assert move_codes(JOBS, ["hands"], "desk").children["desk"] == ("clerk", "hands")


def test_a_group_stands_below_what_is_above_all_that_it_holds() -> None:
    assert add_group(JOBS, "road", ["driver"]).children["hands"] == ("cook", "road")
    both = add_group(JOBS, "work", ["hands", "desk"])
    assert both.children["*"] == ("monk", "work")
    assert both.children["work"] == ("hands", "desk")


def test_groups_are_renamed_removed_and_joined() -> None:
    assert rename_group(JOBS, "hands", "craft").children["craft"] == ("driver", "cook")
    assert rename_group(JOBS, "*", "all").root == "all"
    assert remove_groups(JOBS, ["hands", "desk"]).children == {"*": ("driver", "cook", "clerk", "monk")}
    assert join_groups(JOBS, ["hands", "desk"], "hands").children["hands"] == ("driver", "cook", "clerk")
    assert join_groups(JOBS, ["hands", "desk"], "work").children["work"] == ("driver", "cook", "clerk")


def test_values_that_the_tree_lacks_are_listed_and_put_into_a_group() -> None:
    column = make_column(["nurse", "cook", None, "hands", "nurse"], Kind.CATEGORY)
    assert find_strangers(JOBS, column) == ("hands", "nurse")
    faults = list_strange_rows(JOBS.leaves, column)
    assert [(fault.row, fault.value, str(fault.message)) for fault in faults] == [
        (4, "hands", "'hands' is no leaf of the tree; 1 row has it"),
        (1, "nurse", "'nurse' is no leaf of the tree; 2 rows have it"),
    ]
    assert add_values(JOBS, ["nurse"], "hands").children["hands"] == ("driver", "cook", "nurse")
    # Numbers are compared as numbers.
    assert find_strangers(Tree.flat(["20.0", "3"]), make_column([20, 3, 4])) == ("4",)


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        (lambda: move_codes(JOBS, ["nobody", "*"], "cook"), ["code", "root", "group", "cycle"]),
        (lambda: move_codes(JOBS, ["hands"], "hands"), ["cycle"]),
        (lambda: move_codes(JOBS, ["cook"], "hands", before="clerk"), ["place"]),
        (lambda: move_codes(JOBS, ["cook"], "nowhere"), ["code"]),
        (lambda: add_group(JOBS, "hands", []), ["name", "members"]),
        (lambda: add_group(JOBS, " x", ["hands", "cook"]), ["name", "cycle"]),
        (lambda: rename_group(JOBS, "cook", "desk"), ["group", "name"]),
        (lambda: remove_groups(JOBS, ["*", "cook", "x"]), ["group", "code", "root"]),
        (lambda: join_groups(JOBS, ["hands"], "cook"), ["name", "members"]),
        (lambda: add_values(JOBS, ["cook", ""], "x"), ["name", "name", "code"]),
    ],
)
def test_a_change_that_makes_no_tree_is_refused_with_all_that_is_wrong(
    change: Callable[[], Tree], rules: list[str]
) -> None:
    with pytest.raises(FaultsError) as caught:
        change()
    assert [fault.rule for fault in caught.value.faults] == rules


@given(st.data())
def test_no_change_loses_or_makes_a_value(data: st.DataObject) -> None:
    tree = JOBS
    for number in range(data.draw(st.integers(1, 6))):
        below = list(tree.codes[1:])
        codes = data.draw(st.lists(st.sampled_from(below), min_size=1, max_size=3, unique=True))
        group = data.draw(st.sampled_from(list(tree.children)))
        change = data.draw(st.sampled_from(["move", "add", "remove", "join"]))
        try:
            if change == "move":
                tree = move_codes(tree, codes, group)
            elif change == "add":
                tree = add_group(tree, f"g{number}", codes)
            elif change == "remove":
                tree = remove_groups(tree, [group])
            else:
                tree = join_groups(tree, codes, f"g{number}")
        except FaultsError:
            continue
        assert set(tree.leaves) == set(JOBS.leaves)
