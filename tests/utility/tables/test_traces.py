"""The contest of 2019 comes out as its organisers' programs have it: utility, ids and traces; and who moves like this."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sekisho.attack.tables.visits import VisitLikelihood, read_traces
from sekisho.contest.answers.ids import IdAnswer, TraceAnswer
from sekisho.data.files.part_table import PartTable
from sekisho.data.files.region_cells import RegionCells
from sekisho.data.synthetic.traces import TOKYO, make_traces
from sekisho.errors import FaultsError, ParameterError
from sekisho.seeds import Seed
from sekisho.utility.tables.trace_distance import TraceDistance

HOSPITALS = (
    *(2, 43, 50, 147, 150, 152, 174, 183, 186, 205, 237, 296, 303, 326, 331, 344, 358, 420, 434),
    *(449, 471, 491, 497, 507, 522, 535, 550, 561, 628, 631, 708, 771, 782, 821, 871, 883, 995),
)
MEASURE = TraceDistance(column="reg_id", grid=TOKYO)
TRACES = TraceAnswer(grid=TOKYO, sensitive=HOSPITALS)


def _find_form(rows: int) -> PartTable:
    return PartTable(columns=("reg_id",), rows=rows, others=TOKYO.limit_cells(several=True))


@pytest.mark.parametrize("case", ["copy", "mixed", "noise"])
def test_cases_of_2019(shared: Callable[[str], Path], case: str) -> None:
    folder = shared(f"cups/2019/case-{case}")
    expected = json.loads((folder / "expected.json").read_text())
    original = pl.read_csv(folder / "original.csv")
    released = _find_form(original.height).read(folder / "release.csv")
    score = MEASURE.compare(original, released, {})
    assert score.value == pytest.approx(expected["utility"], abs=1e-9)
    truth = original["reg_id"].to_numpy()
    found = TRACES.score(TRACES.read(folder / "trace_attack.csv", rows=original.height), truth)
    assert 1 - found == pytest.approx(expected["sec_t"], abs=1e-9)
    ids = IdAnswer(people=expected["users"])
    named = pl.read_csv(folder / "pseudonyms.csv")["user_id"].to_numpy()
    assert float(1 - ids.score(ids.read(folder / "id_attack.csv"), named)) == pytest.approx(expected["sec_i"], abs=1e-9)


def test_by_hand() -> None:
    # 0.1 degree over 32 rows is 0.346875 km a row; a set of the true region and the next row: (1 + 1 - 0.1734375)/2
    original = pl.DataFrame({"reg_id": [1, 1, 1]})
    released = pl.DataFrame({"reg_id": ["1 33", "*", "1000"]})
    score = MEASURE.compare(original, released, {})
    assert score.value == pytest.approx((2 - 0.1734375) / 2 / 3)
    assert score.detail == {"sets": 1 / 3, "nothing": 1 / 3}
    with pytest.raises(ParameterError, match="released"):
        MEASURE.compare(original, released[:2], {})


def test_faults(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("reg\n1 2\n0\n1025 3\n1  2\n*\nx\n")
    with pytest.raises(FaultsError) as caught:
        _find_form(5).read(path)
    assert {(fault.row, fault.rule) for fault in caught.value.faults} == {
        *((0, "rows"), (1, "header"), (3, "range"), (4, "range"), (5, "integer"), (7, "integer")),
    }
    path.write_text("reg_id\n1 2\n*\n7\n")
    with pytest.raises(FaultsError) as caught:
        TRACES.read(path, rows=3)
    assert len(caught.value.faults) == 2


def _publish(traces: np.ndarray, order: np.ndarray, cells: str) -> RegionCells:
    texts = [str(region) for row in traces[order] for region in row]
    if cells == "sets":
        texts = [f"{text} {1 + int(text) % 1024}" for text in texts]
    if cells == "holes":
        texts = ["*" if place % 2 else text for place, text in enumerate(texts)]
    return RegionCells.parse(pl.Series(texts))


@pytest.mark.parametrize("cells", ["plain", "sets", "holes"])
def test_people_are_known_by_their_places(cells: str) -> None:
    traces = make_traces(60, days=4, rng=Seed(3).rng())
    reference, original = traces[:, :40], traces[:, 40:]
    order = Seed(4).rng().permutation(60)
    released = _publish(original, order, cells)
    attack = VisitLikelihood(regions=1024, once=True)
    named = attack.guess(reference, released)
    answer = IdAnswer(people=60)
    assert float(answer.score(named + 1, order + 1)) > 0.8
    told = read_traces(named, released, regions=1024, rng=Seed(5).rng())
    blind = TRACES.score(TRACES.draw(rows=original.size, rng=Seed(6).rng()), original.ravel())
    assert TRACES.score(told.ravel(), original.ravel()) > blind + 0.2
    home = VisitLikelihood(regions=1024, hours=(0,)).guess(reference, released)
    assert float(answer.score(home + 1, order + 1)) > 0.5


def test_likelihood_by_hand() -> None:
    # two people, three times: person 0 is in 1, 1, 2, person 1 in 2, 2, 2; a trace "1", "1 2", "*"
    released = RegionCells.parse(pl.Series(["1", "1 2", "*", "2", "*", "*"]))
    attack = VisitLikelihood(regions=2, times=3)
    likelihood = attack.compute(np.array([[1, 1, 2], [2, 2, 2]]), released, pseudonyms=2)
    expected = [[2 / 3 * 0.5, 1e-8 * (1 + 1e-8) / 2], [1 / 3, 1.0]]
    assert np.exp(likelihood) == pytest.approx(np.array(expected))
