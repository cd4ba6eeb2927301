"""A certificate of any method proves its claims to a checker that derives all statements itself; a changed one is caught."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.tables.instances import grid
from typer.testing import CliRunner

from sekisho.cli.door import app
from sekisho.tables.audit.statements import Statements
from sekisho.tables.certificate.seal_release import (
    Dual,
    ReleaseProof,
    ShownRelease,
    WidthProof,
    find_release_evidence,
    seal_release,
)
from sekisho.tables.check.release_checker import check_release
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Floats, Table
from sekisho.tables.perturb.method import close_sums

BASE = 3
SECRET = sha256(b"what was drawn").hexdigest()


def small_table(values: list[int], width: float = 2.0) -> Table:
    sides = [Dimension.flat("a", ["a1", "a2"]), Dimension.flat("b", ["b1", "b2"])]
    keys = list(product(["a1", "a2"], ["b1", "b2"]))
    table = from_inner(sides, keys, np.array(values, dtype=np.float64))
    return table.flag_cells((table.value > 0) & (table.value < 3), sliding=width)


def round_least(table: Table, base: int) -> tuple[Floats, float]:
    """Return the least zero-restricted rounding by trying all, of the inner cells' two neighbours each."""
    inner = [at for at, key in enumerate(table.keys) if "Total" not in key]
    best: tuple[float, Floats] | None = None
    below = np.floor(table.value / base) * base
    for ups in product((0, 1), repeat=len(inner)):
        values = [below[at] + base * up * (table.value[at] % base > 0) for at, up in zip(inner, ups, strict=True)]
        sides = [Dimension.flat("a", ["a1", "a2"]), Dimension.flat("b", ["b1", "b2"])]
        shown = from_inner(sides, [table.keys[at] for at in inner], np.array(values)).value
        if np.all(np.abs(shown - table.value) < base):
            cost = float(np.abs(shown - table.value).sum())
            best = (cost, shown) if best is None or cost < best[0] else best
    assert best is not None
    return best[1], best[0]


def price_rounding(table: Table, base: int) -> Dual:
    """Return multipliers of the equations from a stranger's linear program over the share of the way up."""
    rest = table.value % base
    below = table.value - rest
    found = linprog(
        base - 2 * rest,
        A_eq=table.matrix.toarray() * base,
        b_eq=-(table.matrix @ below),
        bounds=[(0, 1 if each else 0) for each in rest],
    )
    return Dual(numbers=[round(each * 1000) for each in found.eqlin.marginals], denominator=1000)


def rounded() -> dict[str, Any]:
    table = small_table([1, 4, 2, 7])
    shown, cost = round_least(table, BASE)
    release = ShownRelease(
        table=table,
        method="round",
        parameters={"base": BASE, "steps": 0, "objective": "least"},
        shown=shown,
        statements=Statements.rounded(shown, base=BASE),
        cost=cost,
        bound=cost,
        solver_bound=cost,
    )
    assert release.theorem
    return seal_release(release, find_release_evidence(release), ReleaseProof(dual=price_rounding(table, BASE)))


def small_rounded() -> dict[str, Any]:
    table = small_table([1, 9, 2, 7])
    inner = np.array(["Total" not in key for key in table.keys])
    sides = [Dimension.flat("a", ["a1", "a2"]), Dimension.flat("b", ["b1", "b2"])]
    keys = [table.keys[at] for at in np.flatnonzero(inner)]
    values = [{1.0: 0.0, 2.0: 5.0}.get(value, value) for value in table.value[inner]]
    shown = from_inner(sides, keys, np.array(values)).value
    release = ShownRelease(
        table=table,
        method="small",
        parameters={"base": 5, "norm": "all"},
        shown=shown,
        statements=Statements.small_rounded(shown, base=5, inner=inner),
        cost=float(np.abs(shown - table.value).sum()),
    )
    return seal_release(release, find_release_evidence(release))


def noisy(*, moved: bool = False) -> dict[str, Any]:
    table = small_table([1, 4, 2, 7], 1.0)
    units = [[[0, 4]], [[0, 1], [1, 2], [2, 1]], [[1, 1], [2, 2], [3, 1]]]
    drawn = table.value + np.where(table.value > 0, [0, 0, 1, 0, 0, 0, 0, 0, -1], 0)
    shown = close_sums(table.matrix, drawn.astype(np.int64)).astype(np.float64) if moved else drawn
    rows = [dict[int, Fraction]((at, Fraction(by, 4)) for at, by in row) for row in units]
    before = {"before": drawn.astype(np.int64).tolist()} if moved else {}
    release = ShownRelease(
        table=table,
        method="perturb",
        parameters={"rows": units, "unit": 4, "additive": "closest" if moved else "no", **before},
        shown=shown,
        statements=Statements.noisy(drawn, rows=rows),
        cost=float(np.abs(shown - table.value).sum()),
        drawn=True,
        commitment=SECRET,
    )
    return seal_release(release, find_release_evidence(release))


def cut_widths(table: Table) -> tuple[Floats, float, list[WidthProof]]:
    """Return the ends of the least intervals, their width and the cuts that prove it, by a stranger's linear program.

    Its columns: how far up and down each interval reaches, then for each unsafe cell a table above and one below.
    """
    rows, n = table.matrix.toarray(), len(table)
    unsafe = np.flatnonzero(table.primary).tolist()
    size = 2 * n + 2 * n * len(unsafe)
    equal, most = list[Floats](), list[Floats]()
    for at, _ in product(range(2 * len(unsafe)), [0]):
        block = slice(2 * n + at * n, 2 * n + (at + 1) * n)
        for row in rows:
            line = np.zeros(size)
            line[block] = row
            equal.append(line)
        for i, (side, sign) in product(range(n), ((0, 1.0), (n, -1.0))):
            line = np.zeros(size)
            line[block.start + i], line[side + i] = sign, -1.0
            most.append(line)
    widths = list[Floats]()
    for at, cell in enumerate(unsafe):
        line = np.zeros(size)
        line[2 * n + 2 * at * n + cell], line[2 * n + (2 * at + 1) * n + cell] = -1.0, 1.0
        widths.append(line)
    found = linprog(
        np.array([1.0] * (2 * n) + [0.0] * (size - 2 * n)),
        A_ub=np.array([*most, *widths]),
        b_ub=np.array([0.0] * len(most) + [-table.sliding_level[cell] for cell in unsafe]),
        A_eq=np.array(equal),
        b_eq=np.zeros(len(equal)),
        bounds=[(0, None)] * (2 * n) + [(None, None)] * (size - 2 * n),
    )
    assert found.x is not None
    assert found.fun is not None
    x, duals = found.x, found.eqlin.marginals.reshape(2 * len(unsafe), len(rows))
    parts = -found.ineqlin.marginals[len(most) :]
    ends = np.stack([table.value - x[n : 2 * n], table.value + x[:n]], axis=1)
    cuts = [
        WidthProof(
            cell=cell,
            up=Dual(numbers=np.rint(-duals[2 * at] / parts[at] * 12).astype(int).tolist(), denominator=12),
            down=Dual(numbers=np.rint(-duals[2 * at + 1] / parts[at] * 12).astype(int).tolist(), denominator=12),
            part=round(parts[at] * 12),
        )
        for at, cell in enumerate(unsafe)
        if parts[at] > 1e-9
    ]
    return ends, float(found.fun), cuts


def widened() -> dict[str, Any]:
    table = small_table([11, 14, 12, 17])
    table = table.flag_cells((table.value < 13), sliding=2.0)
    ends, width, cuts = cut_widths(table)
    release = ShownRelease(
        table=table,
        method="intervals",
        parameters={},
        shown=ends,
        statements=Statements.interval(ends[:, 0], ends[:, 1]),
        cost=width,
        bound=width,
    )
    return seal_release(release, find_release_evidence(release), ReleaseProof(cuts=cuts, scale=12))


def adjusted() -> dict[str, Any]:
    table = small_table([1, 4, 2, 7])
    sides = [Dimension.flat("a", ["a1", "a2"]), Dimension.flat("b", ["b1", "b2"])]
    shown = from_inner(sides, list(product(["a1", "a2"], ["b1", "b2"])), np.array([3.0, 2.0, 0.0, 9.0])).value
    table = table.flag_cells(table.primary, lower=1.0, upper=1.0)
    drawn = np.where(table.primary, 2.0, np.nan)
    release = ShownRelease(
        table=table,
        method="adjust",
        parameters={},
        shown=shown,
        cost=float(np.abs(shown - table.value).sum()),
        down=drawn,
        up=drawn,
        commitment=SECRET,
    )
    return seal_release(release)


MAKERS: dict[str, Callable[[], dict[str, Any]]] = {
    "round": rounded,
    "small": small_rounded,
    "perturb": noisy,
    "closest": lambda: noisy(moved=True),
    "intervals": widened,
    "adjust": adjusted,
}


def reseal(held: dict[str, Any]) -> str:
    rest = {name: part for name, part in held.items() if name != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return json.dumps({**rest, "digest": sha256(text.encode()).hexdigest()})


@pytest.mark.parametrize("method", MAKERS)
def test_what_a_method_seals_is_valid(method: str) -> None:
    assert check_release(json.dumps(MAKERS[method]())).errors == ()


@pytest.mark.parametrize("method", MAKERS)
def test_a_changed_text_is_caught(method: str) -> None:
    held = MAKERS[method]()
    held["cost"] += 1
    assert "digest" in check_release(json.dumps(held)).errors[0]


def shift(name: str, at: int, by: float) -> Callable[[dict[str, Any]], None]:
    def change(held: dict[str, Any]) -> None:
        column = held[name] if name in held else held["cells"][name]
        column[at] += by

    return change


def assign(*path: object) -> Callable[[dict[str, Any]], None]:
    *way, last, value = path

    def change(held: dict[str, Any]) -> None:
        inner: Any = held
        for step in way:
            inner = inner[step]
        inner[last] = value

    return change


@pytest.mark.parametrize("method", MAKERS)
@pytest.mark.parametrize(
    "change",
    [
        assign("cost", 1000),
        assign("bound", 1000),
        assign("status", "best"),
        assign("method", "swap"),
        assign("parameters", {"seed": 7}),
        assign("against", []),
        assign("against", ["everybody"]),
        assign("format", "sekisho table release 0"),
        assign("cells", "keys", [["a1", "b1"]] * 9),
        assign("cells", "status", ["secret"] * 9),
        assign("commitment", "12"),
        shift("value", 3, 1),
    ],
    ids=range(12),
)
def test_a_forger_who_seals_again_is_refused(method: str, change: Callable[[dict[str, Any]], None]) -> None:
    held = MAKERS[method]()
    change(held)
    assert not check_release(reseal(held)).valid


@pytest.mark.parametrize(
    ("method", "change"),
    [
        ("round", shift("shown", 0, BASE)),
        ("round", assign("parameters", "base", 1)),
        ("round", assign("parameters", "base", 6)),
        ("round", assign("proof", "dual", None)),
        ("round", assign("cells", "upper", [20] * 9)),
        ("round", assign("equations", [])),
        ("small", shift("shown", 0, 1)),
        ("small", assign("points", [])),
        ("small", assign("witnesses", [])),
        ("perturb", shift("shown", 0, 5)),
        ("perturb", assign("parameters", "rows", 0, [[1, 4]])),
        ("perturb", assign("parameters", "rows", 1, [[0, 1]])),
        ("perturb", assign("commitment", "")),
        ("perturb", assign("witnesses", [])),
        ("perturb", assign("points", 0, "moves", 0, 50)),
        ("perturb", assign("points", 0, "denominator", 2)),
        ("closest", shift("shown", 0, 1)),
        ("closest", assign("parameters", "before", 0, 50)),
        ("closest", assign("parameters", "before", [])),
        ("closest", assign("parameters", "additive", "no")),
        ("closest", assign("witnesses", [])),
        ("intervals", assign("shown", 0, [0, 1])),
        ("intervals", assign("proof", "parts", 0, 100)),
        ("intervals", assign("proof", "parts", 0, 0)),
        ("adjust", shift("shown", 0, 1)),
        ("adjust", assign("down", [50] * 9)),
        ("adjust", assign("down", [0] * 9)),
    ],
    ids=range(27),
)
def test_what_the_method_does_not_show_is_refused(method: str, change: Callable[[dict[str, Any]], None]) -> None:
    held = MAKERS[method]()
    change(held)
    assert not check_release(reseal(held)).valid


@pytest.mark.parametrize("method", ["round", "small", "perturb", "closest", "intervals"])
def test_a_cell_that_is_narrower_than_its_level_is_refused(method: str) -> None:
    held = MAKERS[method]()
    held["cells"]["sliding_level"] = [1000] * 9
    assert any("levels ask" in error for error in check_release(reseal(held)).errors)


def test_the_theorem_does_not_cover_what_it_does_not_speak_of() -> None:
    held = small_rounded()
    held["theorem"], held["points"], held["witnesses"] = True, [], []
    assert any("theorem" in error for error in check_release(reseal(held)).errors)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"format": "sekisho table release 1"}'])
def test_what_is_no_certificate_is_invalid(text: str) -> None:
    assert not check_release(text).valid


def test_whole_witnesses_in_three_dimensions() -> None:
    table = grid((3, 3, 3), np.random.default_rng(2), high=9)
    table = table.flag_cells((table.value > 0) & (table.value < 3), sliding=3.0)
    rows = [{0: 1}, {0: 1, 1: 2, 2: 1}, {1: 1, 2: 2, 3: 1}]
    move = np.where(table.value > 1, np.random.default_rng(3).integers(-1, 2, len(table)), 0)
    shown = table.value + move
    release = ShownRelease(
        table=table,
        method="perturb",
        parameters={
            "rows": [[[at, by * (4 // sum(row.values()))] for at, by in row.items()] for row in rows],
            "unit": 4,
            "additive": "no",
        },
        shown=shown,
        statements=Statements.noisy(shown, rows=[{at: Fraction(by) for at, by in row.items()} for row in rows]),
        cost=float(np.abs(move).sum()),
        drawn=True,
        commitment=SECRET,
    )
    evidence = find_release_evidence(release)
    checked = check_release(json.dumps(seal_release(release, evidence)))
    lacking = {table.named(cell) for cell in evidence.lacking}
    assert len(checked.errors) == len(lacking)  # whoever cannot be protected is told, and nothing else


def test_the_command_reads_both_formats(tmp_path: Path) -> None:
    held = rounded()
    published = tmp_path / "shown.csv"
    lines = [",".join([*key, str(x)]) for key, x in zip(held["cells"]["keys"], held["shown"], strict=True)]
    published.write_text("\n".join(["a,b,n", *lines]) + "\n")
    certificate = tmp_path / "c.json"
    certificate.write_text(json.dumps(held))
    words = ["table", "verify", str(certificate), "--public", str(published), "--json"]
    answer = CliRunner().invoke(app, words)
    assert answer.exit_code == 0, answer.output
    told = json.loads(answer.stdout)
    assert (told["valid"], told["method"], told["against"], told["status"]) == (True, "round", ["rule"], "optimal")
    published.write_text("\n".join(["a,b,n", *lines[:-1], lines[-1] + "0"]) + "\n")
    assert CliRunner().invoke(app, words).exit_code == 1
