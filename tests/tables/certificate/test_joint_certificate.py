"""A certificate of linked tables whose joint table counts: its cells, its limit and its witnesses are checked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.tables.certificate.test_seal import resealed
from tests.tables.triples import SCOPES, cube_of, dimensions, margins, triple

from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.model.linked.join import join_tables
from sekisho.tables.model.table import Cover
from sekisho.tables.suppress.optimiser import Optimiser


def sealed_triple(seed: int = 23, *, joint: bool | None = None) -> dict[str, Any]:
    return dict(make_certificate(Optimiser().suppress(join_tables(triple(cube_of(seed)), joint=joint))))


@pytest.mark.parametrize("seed", [0, 23, 25])
def test_certificates_with_joint_cells_are_valid(seed: int) -> None:
    held = sealed_triple(seed)
    assert (held["joint"], held["limit"]) == ("covered", "")
    assert held["status"] == "optimal"
    assert check(json.dumps(held)).errors == ()


def test_a_certificate_without_them_names_its_limit() -> None:
    held = sealed_triple(joint=False)
    assert held["joint"] == "not covered"
    assert "may find narrower intervals" in held["limit"]
    assert check(json.dumps(held)).errors == ()
    held["limit"] = ""
    assert any("limit is not named" in error for error in check(resealed(held)).errors)
    held["joint"] = "none-needed"
    assert any("form a cycle" in error for error in check(resealed(held)).errors)


def test_a_forged_joint_table_is_caught() -> None:
    def errors(held: dict[str, Any]) -> str:
        unproven = {"cuts": [], "parts": [], "bound": 0, "status": "feasible"}
        return "; ".join(check(resealed(held | unproven)).errors)

    held = sealed_triple()
    at = held["cells"]["status"].index("unpublished")
    held["cells"]["lower"][at] = -100
    assert "other bounds than 0" in errors(held)

    held = sealed_triple()
    ties = [row for row in held["equations"] if any(held["cells"]["status"][i] == "unpublished" for i, _ in row)]
    held["equations"].remove(ties[0])
    assert "is not the sum of its joint cells" in errors(held)

    held = sealed_triple()
    row = next(row for row in held["equations"] if any(held["cells"]["status"][i] == "unpublished" for i, _ in row))
    row.remove(next(term for term in row if held["cells"]["status"][term[0]] == "unpublished"))
    assert "is not the sum of its joint cells" in errors(held)

    held = sealed_triple()
    held["cells"]["value"][at] = 1
    assert "unpublished and yet has a value" in errors(held)

    held = sealed_triple()
    held["joint"] = "not covered"
    assert "8 cells are unpublished" in errors(held)

    held = sealed_triple()
    held["joint"] = "perhaps"
    assert "8 cells are unpublished" in errors(held)


def test_a_witness_is_a_joint_table() -> None:
    held = sealed_triple()
    point = held["points"][0]
    at = next(k for k, cell in enumerate(point["cells"]) if held["cells"]["status"][cell] == "unpublished")
    point["moves"][at] += point["denominator"]
    assert any("breaks equation" in error for error in check(resealed(held)).errors)
    held = sealed_triple()
    point = held["points"][0]
    kept = [k for k, cell in enumerate(point["cells"]) if held["cells"]["status"][cell] != "unpublished"]
    point["cells"], point["moves"] = ([point[name][k] for k in kept] for name in ("cells", "moves"))
    assert any("breaks equation" in error for error in check(resealed(held)).errors)


@pytest.mark.parametrize("way", ["up", "down"])
def test_what_joint_cells_contribute_counts_against_a_cut(way: str) -> None:
    held = sealed_triple()
    cells = held["cells"]
    row, primary = next(
        (number, i)
        for number, terms in enumerate(held["equations"])
        for i, sign in terms
        if sign < 0 and cells["status"][i] == "primary" and any(cells["status"][j] == "unpublished" for j, _ in terms)
    )
    # the primary moves as its joint cells do: up without end, down to 0; that it can says nothing of other cells
    cells[f"{'upper' if way == 'up' else 'lower'}_level"][primary] = cells["value"][primary]
    multiplier = {"denominator": 1, "rows": [row], "values": [-1 if way == "up" else 1]}
    held["cuts"] = [{"primary": primary, "up": None, "down": None, "counted": False, "insider": None, way: multiplier}]
    held["parts"] = [{"cells": [], "tree": {"scale": 1, "sum": [[0, 1]]}}]
    assert any("cut 0 says nothing" in error for error in check(resealed(held)).errors)


@pytest.mark.parametrize("scale", [0.01, 1 / 7, 1e6 / 7])
@pytest.mark.parametrize("seed", range(3))
def test_certificates_of_sums_with_decimals_are_valid(seed: int, scale: float) -> None:
    cube = cube_of(seed, high=600) * scale
    tables = [
        table.flag_cells(table.value == table.value.min(), lower=0.1 * table.value, upper=0.1 * table.value)
        for table in margins(cube, dimensions(cube.shape), SCOPES)
    ]
    system = join_tables(tables)
    assert system.joint.cover is Cover.COVERED
    assert system.primary.any()
    assert check(json.dumps(make_certificate(Optimiser().suppress(system)))).errors == ()
