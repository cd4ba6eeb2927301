from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import settings
from tests import laws
from tests.laws import scale_examples, try_examples

TESTS = Path(__file__).parent


def find_constants(source: str) -> list[int]:
    """Return the lines where a number of examples is written down that nothing scales."""
    given = [word for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) for word in node.keywords]
    return [word.value.lineno for word in given if word.arg == "max_examples" and isinstance(word.value, ast.Constant)]


def test_constants_are_found() -> None:
    assert find_constants("@settings(deadline=None, max_examples=25)\ndef test_law(): ...") == [1]
    assert find_constants("law = settings(max_examples=scale_examples(25))") == []


def test_no_law_says_its_examples_for_itself() -> None:
    found = {str(path): find_constants(path.read_text("utf-8")) for path in sorted(TESTS.rglob("*.py"))}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("asked", "usually", "tried"),
    [(25, 60, 60), (1000, 60, 2400), (1000, 25, 1000), (5, 60, 12), (5, 8, 2), (1, 8, 1)],  # never none at all
)
def test_laws_are_tried_on_their_share(monkeypatch: pytest.MonkeyPatch, asked: int, usually: int, tried: int) -> None:
    monkeypatch.setattr(laws, "EXAMPLES", asked)
    assert (scale_examples(usually), try_examples(usually).max_examples) == (tried, tried)


def test_what_a_law_asks_for_leaves_the_rest_as_the_house_has_it() -> None:
    house = settings.get_profile(laws.PROFILE)
    asked = try_examples(60)
    assert (asked.deadline, asked.derandomize, asked.suppress_health_check) == (
        house.deadline,
        house.derandomize,
        house.suppress_health_check,
    )
    assert house.max_examples == laws.EXAMPLES
