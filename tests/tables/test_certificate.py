"""A certificate proves its claims to a checker that trusts nobody; a changed one is caught."""

from __future__ import annotations

import ast
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.tables.instances import KINDS, grid, instance

from sekisho.tables import verify
from sekisho.tables.certificate import certificate
from sekisho.tables.suppress import Optimiser
from sekisho.tables.verify import check


def made() -> dict[str, Any]:
    table = grid((5, 5), np.random.default_rng(4), high=30)
    table = table.flagged((table.value > 0) & (table.value < 5), sliding=10.0)
    return dict(certificate(Optimiser().suppress(table)))


def resealed(held: dict[str, Any]) -> str:
    """A forger knows how digests are made."""
    rest = {name: part for name, part in held.items() if name != "digest"}
    seal = sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    return json.dumps({**rest, "digest": seal})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_our_own_are_valid(kind: str, seed: int) -> None:
    table = instance(kind, seed)
    try:
        answer = Optimiser().suppress(table)
    except ValueError:
        pytest.skip("infeasible")
    held = certificate(answer)
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
    assert "proves the bound" in check(resealed(held)).errors[0]

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
    held["witnesses"][0]["up"]["moves"][0] += 1
    assert any("breaks equation" in error for error in check(resealed(held)).errors)

    held = made()
    held["cells"]["sliding_level"][held["witnesses"][0]["cell"]] = 10**6
    assert any("less than its levels" in error for error in check(resealed(held)).errors)


def test_a_witness_must_keep_to_the_bounds() -> None:
    held = made()
    moved = next(side for each in held["witnesses"] for side in (each["down"], each["up"]) if side["cells"])
    cell, by = moved["cells"][0], moved["moves"][0]
    held["cells"]["upper" if by > 0 else "lower"][cell] = held["cells"]["value"][cell]
    assert any("out of its bounds" in error for error in check(resealed(held)).errors)


@pytest.mark.parametrize("level", ["lower_level", "upper_level"])
def test_a_wide_interval_on_the_wrong_side_is_not_enough(level: str) -> None:
    held = made()
    held["cells"][level][held["witnesses"][0]["cell"]] = 10**6
    assert any("less than its levels" in error for error in check(resealed(held)).errors)


def test_a_proof_from_nothing_is_caught() -> None:
    held = made()
    held["tree"] = {"scale": 1, "sum": [[0, -1], [0, 1], *([number, 1] for number in range(len(held["cuts"])))]}
    assert any("negative part" in error for error in check(resealed(held)).errors)

    held = made()
    safe = held["cells"]["status"].index("safe")
    held["cells"]["upper_level"][safe] = 10  # nobody asks for the protection of a safe cell
    held["cuts"] = [{"primary": safe, "up": {"denominator": 1, "rows": [], "values": []}, "down": None}]
    held |= {"tree": {"scale": 1, "sum": [[0, 1]]}, "bound": 1}
    assert any("says nothing" in error for error in check(resealed(held)).errors)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"digest": 1, "cells": 3}'])
def test_what_is_no_certificate_is_invalid(text: str) -> None:
    assert not check(text).valid


def test_the_checker_shares_no_code() -> None:
    tree = ast.parse(Path(verify.__file__).read_text(encoding="utf-8"))
    names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [name for name in names if name and name.startswith("sekisho")]
