"""Every golden case of global recoding: by listing all originals, and by what the program says of each of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.gate.records.downcode.test_lattice_downcoding import count_all_but_one
from verify.red_team.lattice_listing import MODES, LatticeCase

QUICK = ("all-asym4-ncp", "all-2x2-k3", "all-asym3x2-ncp")
"""The sums that the program makes in a few seconds; ``python -m verify.red_team.lattice_golden`` makes all."""


def read_cases(shared: Callable[[str], Path]) -> list[dict[str, Any]]:
    return json.loads(shared("red-team/downcode-lattice.json").read_text(encoding="utf-8"))["cases"]


def test_every_sum_over_all_originals(shared: Callable[[str], Path]) -> None:
    cases = [case for case in read_cases(shared) if case["id"].startswith("all-")]
    assert len(cases) == 6
    for case in cases:
        listed = LatticeCase.read(case)
        assert {mode: listed.sum_cells(mode) for mode in MODES} == {mode: case[mode] for mode in MODES}, case["id"]


def test_every_single_release(shared: Callable[[str], Path]) -> None:
    cases = [case for case in read_cases(shared) if case["id"].startswith("one-")]
    assert len(cases) == 18
    for case in cases:
        for what, wanted, found in LatticeCase.read(case).look_at(case):
            assert found == wanted, (case["id"], what)


def test_the_program_says_the_same_of_one_who_knows_the_others(shared: Callable[[str], Path]) -> None:
    for case in read_cases(shared):
        if case["id"] in QUICK:
            wanted = {"cells": case["least"]["cells"], **case["least"]["all_but_one"]}
            assert count_all_but_one(case) == wanted, case["id"]
