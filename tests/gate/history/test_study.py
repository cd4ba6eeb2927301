"""A study must be the means of its samples, the same whoever does the work, and say what it rests on."""

from __future__ import annotations

import numpy as np
import pytest
from tests.shopping import names, shop

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.history.purchases import Purchases
from sekisho.errors import ParameterError
from sekisho.gate.history.study import FIGURES, USE_CASES, Findings, Study, UseCases
from sekisho.protect.history.coarsen import Coarsen
from sekisho.protect.history.erase import Erase
from sekisho.provenance import Provenance
from sekisho.seeds import Seed
from sekisho.utility.cell_error import CellError
from sekisho.utility.history.statistics import Statistics


def market() -> Dataset:
    rng = Seed(11).rng()
    days, items, prices, units = (rng.integers(0, most, 400).tolist() for most in (40, 25, 300, 30))
    return shop(
        [
            (f"c{n % 20}", day, f"i{item:02}", price + 1, unit + 1)
            for n, (day, item, price, unit) in enumerate(zip(days, items, prices, units, strict=True))
        ]
    )


def identity(data: Dataset) -> Release:
    return Release(
        table=exact_table(data, pseudonym=names(data)),
        deleted=np.zeros(len(data), dtype=np.bool_),
        provenance=Provenance(name="test"),
    )


def some_releases(data: Dataset) -> dict[str, Release]:
    return {
        "same": identity(data),
        "coarse": Coarsen(cells=0.4).apply(data, rng=Seed(1).rng()),
        "erased": Erase(cells=0.2, rows=0.1).apply(data, rng=Seed(2).rng()),
        "nearly gone": Erase(cells=0.7, rows=0.4).apply(data, rng=Seed(3).rng()),
    }


def errors(findings: Findings) -> dict[str, dict[str, list[float]]]:
    return {each.name: {name: each.errors[name].tolist() for name in each.errors} for each in findings.releases}


def test_an_unchanged_release_has_no_error_anywhere() -> None:
    data = market()
    (same,) = Study(samples=3).run(data, {"same": identity(data)}, seed=Seed(0)).releases
    assert same.utility == 0.0
    assert tuple(same.errors) == (*USE_CASES, *FIGURES)
    assert all(not same.errors[name].any() for name in same.errors)


def test_the_findings_are_the_means_over_the_samples_and_their_correlations() -> None:
    data = market()
    made = some_releases(data)
    findings = Study(samples=12).run(data, made, seed=Seed(5))
    assert [each.name for each in findings.releases] == list(made)
    utility = [CellError().compare(data, release).value for release in made.values()]
    assert [each.utility for each in findings.releases] == utility
    for name in (*USE_CASES, *FIGURES):
        means = [float(np.mean(each.errors[name])) for each in findings.releases]
        assert [len(each.errors[name]) for each in findings.releases] == [12] * 4
        r = findings.correlations[name]
        if r is None:
            assert len(set(means)) == 1
        else:
            assert r == pytest.approx(np.corrcoef(utility, means)[0, 1])
            assert findings.significant(name) == (abs(r) >= 0.95)  # n = 4: t(2) = 4.3027, r = 0.9500
    assert findings.critical == pytest.approx(0.9500, abs=5e-5)


def test_neither_company_nor_the_number_of_processes_changes_a_sample() -> None:
    data = market()
    made = some_releases(data)
    alone = Study(samples=11).run(data, {"coarse": made["coarse"]}, seed=Seed(5))
    one = Study(samples=11).run(data, made, seed=Seed(5))
    two = Study(samples=11, processes=2).run(data, made, seed=Seed(5))
    assert errors(one) == errors(two)
    assert errors(alone)["coarse"] == errors(one)["coarse"]
    other = Study(samples=11).run(data, {"coarse": made["coarse"]}, seed=Seed(6))
    assert errors(other) != errors(alone)


def test_findings_among_some_releases_are_those_of_a_study_of_them() -> None:
    data = market()
    made = some_releases(data)
    fewer = {name: made[name] for name in ("coarse", "erased", "nearly gone")}
    among = Study(samples=3).run(data, made, seed=Seed(5)).among(tuple(fewer))
    alone = Study(samples=3).run(data, fewer, seed=Seed(5))
    assert errors(among) == errors(alone)
    assert (among.correlations, among.critical) == (alone.correlations, alone.critical)


def test_no_two_samples_are_the_same_draw() -> None:
    data = market()
    coarse = some_releases(data)["coarse"]
    twins = Study(samples=25).run(data, {"one": coarse, "other": coarse}, seed=Seed(5)).releases
    drawn = np.concatenate([each.errors["price_variance"] for each in twins])
    assert len(set(drawn.tolist())) == 50


def test_the_steps_count_up_and_the_first_already_knows_every_release() -> None:
    data = market()
    steps = list(Study(samples=25).steps(data, some_releases(data), seed=Seed(5)))
    assert [step.done for step in steps] == [40, 50, 60, 70, 80, 85, 90, 95, 100]
    assert {step.total for step in steps} == {100}
    assert all(len(step.findings.releases) == 4 for step in steps)
    first, last = steps[0].findings, steps[-1].findings
    for early, late in zip(first.releases, last.releases, strict=True):
        assert late.errors["rfm"][:10].tolist() == early.errors["rfm"].tolist()


def test_the_parameters_reach_the_measures() -> None:
    data = market()
    cases = UseCases(statistics=Statistics(top=3))
    assert cases.against(Purchases.of(data)).statistics.measure.top == 3


def test_a_study_of_nothing_is_refused() -> None:
    data = market()
    with pytest.raises(ParameterError, match="releases must hold at least one"):
        Study().run(data, {}, seed=Seed(0))
    with pytest.raises(ParameterError, match="samples must be at least 1"):
        Study(samples=0)
    with pytest.raises(ParameterError, match="level"):
        Study(level=1.0)
