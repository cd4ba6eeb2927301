"""A certificate proves its claims to a checker that trusts nobody; a changed one is caught."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.tables.instances import FEASIBLE, grid, instance

from sekisho.tables.certificate.seal import DEEPEST, make_certificate
from sekisho.tables.check import checker as verify
from sekisho.tables.check import claims, release_checker, release_claims, release_methods, strict_json
from sekisho.tables.check import joint as verify_joint
from sekisho.tables.check.checker import check
from sekisho.tables.suppress.optimiser import Optimiser

CLAIMS = "sekisho.tables.check.claims"


@cache
def make_once() -> dict[str, Any]:
    table = grid((5, 5), np.random.default_rng(4), high=30)
    table = table.flag_cells((table.value > 0) & (table.value < 5), sliding=10.0)
    return dict(make_certificate(Optimiser().suppress(table)))


def made() -> dict[str, Any]:
    """A certificate of one's own, to be changed: making it anew takes half a second, and gives the same."""
    return deepcopy(make_once())


def resealed(held: dict[str, Any]) -> str:
    """A forger knows how digests are made."""
    rest = {name: part for name, part in held.items() if name != "digest"}
    seal = sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    return json.dumps({**rest, "digest": seal})


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind, seeds in FEASIBLE.items() for seed in seeds[:2]])
def test_our_own_are_valid(kind: str, seed: int) -> None:
    answer = Optimiser().suppress(instance(kind, seed))
    held = make_certificate(answer)
    assert check(json.dumps(held)).errors == ()
    assert held["bound"] == pytest.approx(answer.last.cost, rel=1e-5)


def test_one_changed_number_is_caught() -> None:
    held = made()
    held["cells"]["weight"][0] += 1
    assert not check(json.dumps(held)).valid


def test_a_forger_is_caught() -> None:
    assert check(resealed(made())).valid

    held = made()
    held["bound"] += 1
    assert "reaches the bound" in check(resealed(held)).errors[0]

    held = made()
    held["cost"] -= 1
    assert "the cost is" in check(resealed(held)).errors[0]

    held = made()
    held["cells"]["value"][7] += 1
    assert any("add up" in error for error in check(resealed(held)).errors)

    held = made()
    secondary = held["cells"]["status"].index("secondary")
    held["cells"]["status"][secondary] = "safe"
    assert any("published cell" in error for error in check(resealed(held)).errors)

    held = made()
    held["witnesses"].pop()
    assert any("no witness" in error for error in check(resealed(held)).errors)

    held = made()
    held["points"][0]["moves"][0] += 1
    assert any("breaks equation" in error for error in check(resealed(held)).errors)

    held = made()
    held["cells"]["sliding_level"][held["witnesses"][0]["cell"]] = 10**6
    assert any("less than its levels" in error for error in check(resealed(held)).errors)


def test_a_witness_must_keep_to_the_bounds() -> None:
    held = made()
    moved = held["points"][0]
    cell, by = moved["cells"][0], moved["moves"][0]
    held["cells"]["upper" if by > 0 else "lower"][cell] = held["cells"]["value"][cell]
    assert any("out of its bounds" in error for error in check(resealed(held)).errors)


@pytest.mark.parametrize("level", [0, 1e-4])
def test_a_primary_that_asks_for_no_protection_is_not_proven_safe(level: float) -> None:
    held = made()
    held.update(cuts=[], parts=[], bound=0, status="feasible")
    cell = held["witnesses"][0]["cell"]
    held["cells"]["sliding_level"][cell] = level
    (error,) = check(resealed(held)).errors
    assert f"cell {', '.join(held['cells']['keys'][cell])} is primary, but its level {level:g} is none" in error
    held["cells"]["sliding_level"][cell] = 1e-3
    assert check(resealed(held)).valid


@pytest.mark.parametrize("level", ["lower_level", "upper_level"])
def test_a_wide_interval_on_the_wrong_side_is_not_enough(level: str) -> None:
    held = made()
    held["cells"][level][held["witnesses"][0]["cell"]] = 10**6
    assert any("less than its levels" in error for error in check(resealed(held)).errors)


def test_a_proof_from_nothing_is_caught() -> None:
    held = made()
    held["parts"][0]["tree"] = {"scale": 1, "sum": [[0, -1], *([number, 1] for number in range(len(held["cuts"])))]}
    assert any("negative part" in error for error in check(resealed(held)).errors)

    held = made()
    safe = held["cells"]["status"].index("safe")
    held["cells"]["upper_level"][safe] = 10  # nobody asks for the protection of a safe cell
    up = {"denominator": 1, "rows": [], "values": []}
    held["cuts"] = [{"primary": safe, "up": up, "down": None, "counted": False, "insider": None}]
    held["parts"] = [{"cells": [safe], "tree": {"scale": 1, "sum": [[0, 1]]}}]
    held["bound"] = 1
    assert any("says nothing" in error for error in check(resealed(held)).errors)

    held = made()
    held["parts"] += held["parts"]  # the same cost counted twice
    held["bound"] = held["cost"]
    assert any("count the same cell" in error for error in check(resealed(held)).errors)

    held = made()
    tree = held["parts"][0]["tree"]
    held["parts"][0]["cells"] = []  # what others pay is not this part's
    assert tree
    assert any("reaches the bound" in error for error in check(resealed(held)).errors)


@pytest.mark.parametrize(("sides", "seed"), [((3, 3, 3), 1), ((3, 3, 3), 2), ((2, 3, 3), 5)])
def test_cells_that_cannot_move_count_neither_for_the_optimiser_nor_for_the_checker(
    sides: tuple[int, ...], seed: int
) -> None:
    # Zeros cannot move down: counted cuts leave them out on both sides, or the proof would fall short of its claim (in
    # the first and the last of these, where the checker alone has such cells count).
    table = grid(sides, np.random.default_rng(seed), high=14)
    table = table.flag_cells((table.value > 0) & (table.value < 5), sliding=10.0)
    answer = Optimiser().suppress(table)
    held = make_certificate(answer)
    assert check(json.dumps(held)).errors == ()
    assert held["bound"] == answer.last.bound


def test_optimal_is_said_only_where_it_is_proven() -> None:
    held = made()
    assert held["status"] == "optimal"
    held |= {"parts": [], "bound": 0}
    assert any("called optimal" in error for error in check(resealed(held)).errors)
    assert check(resealed({**held, "status": "feasible"})).valid
    assert not check(resealed({**held, "status": "perfect"})).valid


def test_a_proof_cut_short_claims_less() -> None:
    table = grid((5, 5), np.random.default_rng(4), high=30)
    answer = Optimiser().suppress(table.flag_cells((table.value > 0) & (table.value < 5), sliding=10.0))
    held = make_certificate(answer, seconds=0.0)
    assert (held["bound"], held["status"], held["solver_status"]) == (0, "feasible", "optimal")
    assert held["solver_bound"] == held["cost"]
    assert check(json.dumps(held)).valid


def numbers(held: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every number of a certificate."""
    if isinstance(held, dict | list):
        for name, part in held.items() if isinstance(held, dict) else enumerate(held):
            yield from numbers(part, (*path, name))
    elif isinstance(held, int | float) and not isinstance(held, bool):
        yield path


def changed(held: dict[str, Any], path: tuple[Any, ...], by: int) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(held))
    inner: Any = copy
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] += by
    return copy


def test_every_number_is_guarded_by_the_digest_and_most_by_the_proof() -> None:
    held = made()
    paths = list(numbers(held))
    rng = np.random.default_rng(0)
    for path in [paths[int(at)] for at in rng.choice(len(paths), 150, replace=False)]:
        assert not check(json.dumps(changed(held, path, 1))).valid, path
    # a forger reseals: then the values, and the claims themselves, are what he cannot change
    for path in paths:
        if path[0] in ("cost", "bound") or path[:2] == ("cells", "value"):
            assert not check(resealed(changed(held, path, 1))).valid, path
    # a move changed breaks an equation, whichever it is
    for path in paths:
        if path[0] == "points" and "moves" in path:
            assert not check(resealed(changed(held, path, 1))).valid, path


@pytest.mark.parametrize("place", [-1, 10**6, True, "0", 1.0, None, [], {}])
def test_places_that_do_not_exist_are_refused(place: object) -> None:
    for path in (("equations", 0, 0, 0), ("points", 0, "cells", 0), ("witnesses", 0, "cell"), ("cuts", 0, "primary")):
        held = made()
        inner: Any = held
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = place
        assert not check(resealed(held)).valid, path


@pytest.mark.parametrize("number", ['"3"', "true", "NaN", "Infinity", "-Infinity", "1e999999999", "9" * 5000, "null"])
@pytest.mark.parametrize("name", ["cost", "bound", "value", "weight", "sliding_level"])
def test_what_is_no_number_is_refused_at_once(name: str, number: str) -> None:
    text = resealed(made())
    head, tail = text.split(f'"{name}": ', 1)
    if tail.startswith("["):
        tail = f"[{number}, " + tail[1:].split(", ", 1)[1]
    else:
        tail = f"{number}, " + tail.split(", ", 1)[1]
    checked = check(f'{head}"{name}": {tail}')
    assert not checked.valid


def test_a_point_may_be_a_fraction_of_many_digits_and_nothing_else_may() -> None:
    held = made()
    long = 10**900 + 1
    for point in held["points"]:
        point["moves"] = [move * long for move in point["moves"]]
        point["denominator"] *= long
    assert check(resealed(held)).valid
    held["points"][0]["moves"][0] += 1
    assert any("breaks equation" in error for error in check(resealed(held)).errors)
    for path in (("equations", 0, 0, 1), ("parts", 0, "tree", "scale"), ("cuts", 0, "up", "denominator"), ("cost",)):
        forged = made()
        inner: Any = forged
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = 10**60
        assert "60 digits" in check(resealed(forged)).errors[0], path
    for point in held["points"]:
        point["denominator"] = 10**1000
    assert "1000 digits" in check(resealed(held)).errors[0]


def test_a_text_beyond_measure_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = resealed(made())
    monkeypatch.setattr(strict_json, "LENGTH", len(text))
    assert check(text).valid
    monkeypatch.setattr(strict_json, "LENGTH", len(text) - 1)
    assert "characters" in check(text).errors[0]


def test_deep_and_cut_off_texts_are_refused() -> None:
    text = resealed(made())
    for bad in (text[:-1], text[: len(text) // 2], "[" * 100_000, '{"cells":' * 100_000, text + text):
        assert check(bad).errors[0].startswith("not a certificate")
    held = made()
    tree: Any = held["parts"][0]["tree"]
    for _ in range(DEEPEST):
        tree = {"cell": 0, "zero": tree, "one": tree} if tree is held["parts"][0]["tree"] else {**tree, "zero": tree}
    held["parts"][0]["tree"] = tree
    assert check(resealed(held)).valid  # a silly proof is a proof


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"digest": 1, "cells": 3}'])
def test_what_is_no_certificate_is_invalid(text: str) -> None:
    assert not check(text).valid


def test_the_checker_shares_no_code() -> None:
    own = {f"sekisho.tables.check.{name}" for name in ("claims", "joint", "strict_json")}
    plain, strict = {CLAIMS, "sekisho.tables.check.strict_json"}, {"sekisho.tables.check.strict_json"}
    release = {f"sekisho.tables.check.{name}" for name in ("checker", "release_claims", "release_methods")}
    rooms = [
        (verify, own),
        (verify_joint, {CLAIMS}),
        (claims, strict),
        (strict_json, set[str]()),
        (release_claims, plain),
        (release_methods, {"sekisho.tables.check.release_claims", *strict}),
        (release_checker, own | release),
    ]
    for module, allowed in rooms:
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        shared = {name for name in names if name and name.startswith("sekisho")} - {"sekisho.words"}
        assert shared == allowed  # words of both languages are no code of the optimiser
