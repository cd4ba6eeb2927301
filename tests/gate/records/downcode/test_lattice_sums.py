"""Every golden sum of global recoding over all originals, by listing; what the program says of them is in verify."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from verify.red_team.lattice_listing import MODES, LatticeCase


def test_every_sum_over_all_originals(shared: Callable[[str], Path]) -> None:
    golden = json.loads(shared("red-team/downcode-lattice.json").read_text(encoding="utf-8"))["cases"]
    cases = [case for case in golden if case["id"].startswith("all-")]
    assert len(cases) == 6
    for case in cases:
        listed = LatticeCase.read(case)
        assert {mode: listed.sum_cells(mode) for mode in MODES} == {mode: case[mode] for mode in MODES}, case["id"]
