from __future__ import annotations

import pytest
from verify.mutants import draw_mutations, list_mutations, list_test_folders

MODULE = '''"""A module: nobody mutates 1 == 1 in a docstring."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    least: int | None = 3


def keep(sizes: "tuple[int, ...]", *, most=10) -> bool:
    """Return True == True."""
    return not sizes or (len(sizes) >= most and 4 not in sizes)  # 7 < 8
'''


def show(text: str) -> list[tuple[int, str, str]]:
    return [(mutation.line, mutation.before, mutation.after) for mutation in list_mutations("a.py", text)]


def test_what_runs_is_mutated_and_nothing_else() -> None:
    # neither documentation nor comments, types or decorators; the * of a signature cannot become anything
    assert show(MODULE) == [
        (8, "3", "4"),
        (11, "10", "11"),
        (13, "not", ""),
        (13, "or", "and"),
        (13, ">=", ">"),
        (13, "and", "or"),
        (13, "4", "5"),
        (13, "not", ""),
    ]


@pytest.mark.parametrize(
    ("text", "mutated"),
    [
        ("a = b == c\n", "a = b != c\n"),
        ("a = b not in c\n", "a = b  in c\n"),
        ("関所 = min(b)\n", "関所 = max(b)\n"),
        ("for a in b:\n    break\n", "for a in b:\n    continue\n"),
    ],
)
def test_one_token_changes(text: str, mutated: str) -> None:
    (mutation,) = list_mutations("a.py", text)
    assert mutation.apply(text) == mutated


def test_a_seed_draws_the_same_again() -> None:
    drawn = [draw_mutations(["seeds", "errors"], 5, seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len({str(mutation) for mutation in drawn[0]}) == 5


@pytest.mark.parametrize(
    ("path", "folders"),
    [
        ("src/sekisho/gate/records/stage.py", ["tests/gate/records", "tests/gate"]),
        ("src/sekisho/gate/policy.py", ["tests/gate"]),
        ("src/sekisho/seeds.py", ["tests/test_seeds.py"]),
    ],
)
def test_the_nearest_tests_are_asked_first(path: str, folders: list[str]) -> None:
    assert list_test_folders(path) == folders
