"""What releases are still good for: drawn from many times, measured by every use case, set beside their utility.

From each release concrete data are drawn again and again; each sample is compared with the original by the use cases
and statistics of the PWS Cup 2018 report. The means over the samples make a table, one row per release; under each
column stands its correlation with the releases' utility: does the cheap index that ranks releases speak for what
analysts do with them?

Every sample has a seed of its own, named by its release and number: neither the number of processes nor the presence of
another release changes it.

Source: PWS Cup 2018 report, section 6, tables 6 to 10.

The use cases and statistics of the PWS Cup 2018 report and three more: prepared once, then applied to samples.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.concrete_draws import Draws
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.purchases import Purchases
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import Seed
from sekisho.utility import Measure
from sekisho.utility.cell_error import CellError
from sekisho.utility.history.error_bounds import bound_errors
from sekisho.utility.history.item_sets import FrequentItemSets, ItemSetReference
from sekisho.utility.history.rfm import RankReference, RecencyFrequencyMoney
from sekisho.utility.history.sales import REPORTS, SalesReference, SalesReports
from sekisho.utility.history.similarity import ItemSimilarity, SimilarityReference, View
from sekisho.utility.history.statistics import COLUMNS, STATISTICS, Statistics, StatisticsReference
from sekisho.utility.pearson import compute_correlation, compute_critical_value
from sekisho.words import Said

USE_CASES = ("item_sets", "rfm", *(view.value for view in View), *REPORTS)
FIGURES = ("rows", "top_items", *(f"{column}_{name}" for column in COLUMNS for name in STATISTICS))


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCases:
    """What is measured; the parameters that the report leaves open can be chosen."""

    item_sets: FrequentItemSets = field(default_factory=FrequentItemSets)
    rfm: RecencyFrequencyMoney = field(default_factory=RecencyFrequencyMoney)
    sales: SalesReports = field(default_factory=SalesReports)
    statistics: Statistics = field(default_factory=Statistics)

    def against(self, original: Purchases) -> Yardsticks:
        """Return the yardsticks of an original."""
        return Yardsticks(
            item_sets=self.item_sets.build_reference(original),
            rfm=self.rfm.build_reference(original),
            similarities={view.value: ItemSimilarity(view=view).build_reference(original) for view in View},
            sales=self.sales.build_reference(original),
            statistics=self.statistics.build_reference(original),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Yardsticks:
    """The original's side of every comparison."""

    item_sets: ItemSetReference
    rfm: RankReference
    similarities: Mapping[str, SimilarityReference]
    sales: SalesReference
    statistics: StatisticsReference

    def errors(self, sample: Purchases) -> dict[str, float]:
        """Return a sample's errors: the use cases by name, then the statistics by name."""
        return {
            "item_sets": self.item_sets.error(sample),
            "rfm": self.rfm.error(sample),
            **{name: reference.error(sample) for name, reference in self.similarities.items()},
            **self.sales.errors(sample),
            **self.statistics.errors(sample),
        }


BATCH = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleaseErrors:
    """One release and its errors, sample by sample.

    Attributes:
        name: as the caller calls it.
        utility: its utility index.
        columns: the parts of the index.
        errors: by use case and statistic, one value per sample.
        bounds: by statistic, what its expected error is at most, as the cells promise.
        provenance: what made the release.
    """

    name: str
    utility: float
    columns: Mapping[str, float]
    errors: Mapping[str, NDArray[np.float64]]
    bounds: Mapping[str, float]
    provenance: Provenance

    def mean(self, name: str) -> float:
        """Return the mean error over the samples."""
        return float(np.mean(self.errors[name]))

    def deviation(self, name: str) -> float:
        """Return the standard deviation of the error over the samples."""
        return float(np.std(self.errors[name]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Findings:
    """All releases, and how each column goes with the utility index.

    Attributes:
        releases: in the order given.
        correlations: Pearson's r of each column's means with the utility; None where one of the two never changes.
        critical: the least ``|r|`` that is significant; None with fewer than three releases.
        level: of the test.
    """

    releases: tuple[ReleaseErrors, ...]
    correlations: Mapping[str, float | None]
    critical: float | None
    level: float
    provenance: Provenance

    @classmethod
    def over(cls, releases: tuple[ReleaseErrors, ...], *, level: float, provenance: Provenance) -> Findings:
        """Return the findings over some releases."""
        utility = np.array([each.utility for each in releases])
        correlations = {
            name: compute_correlation(utility, np.array([each.mean(name) for each in releases]))
            for name in (*USE_CASES, *FIGURES)
        }
        critical = compute_critical_value(len(releases), level)
        return cls(releases=releases, correlations=correlations, critical=critical, level=level, provenance=provenance)

    def among(self, names: Collection[str]) -> Findings:
        """Return the findings over the releases of these names only, from the same samples."""
        kept = tuple(each for each in self.releases if each.name in names)
        return Findings.over(kept, level=self.level, provenance=self.provenance)

    def significant(self, name: str) -> bool:
        """Tell whether a column's correlation with the utility differs significantly from none."""
        r = self.correlations[name]
        return r is not None and self.critical is not None and abs(r) >= self.critical


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyStep:
    """How far a study has come; the findings rest on the samples done so far."""

    done: int
    total: int
    findings: Findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A comparison of many releases of one original.

    Attributes:
        samples: how many times each release is drawn from.
        cases: what each sample is measured by.
        utility: the index that the columns are correlated with.
        level: of the test of correlation.
        processes: how many processes share the work; the findings do not depend on it.
    """

    samples: int = 100
    cases: UseCases = field(default_factory=UseCases)
    utility: Measure = field(default_factory=CellError)
    level: float = 0.05
    processes: int = 1

    def __post_init__(self) -> None:
        for name in ("samples", "processes"):
            if getattr(self, name) < 1:
                raise ParameterError(name, Said("be at least 1"), getattr(self, name))
        if not 0 < self.level < 1:
            raise ParameterError("level", Said("lie strictly between 0 and 1"), self.level)

    def run(self, original: Dataset, releases: Mapping[str, Release], *, seed: Seed) -> Findings:
        """Return the findings over all samples."""
        *_, last = self.steps(original, releases, seed=seed)
        return last.findings

    def steps(self, original: Dataset, releases: Mapping[str, Release], *, seed: Seed) -> Iterator[StudyStep]:
        """Yield the findings so far, the first when every release has been drawn from.

        Raises:
            ParameterError: there is no release, or one does not fit the original.
        """
        if not releases:
            raise ParameterError("releases", Said("hold at least one release"), 0)
        draws = {name: Draws.of(original, release) for name, release in releases.items()}
        jobs = [
            _Job(name=name, draws=drawn, numbers=range(start, min(start + BATCH, self.samples)), seed=seed)
            for start in range(0, self.samples, BATCH)
            for name, drawn in draws.items()
        ]
        bounds = {name: bound_errors(original, release) for name, release in releases.items()}
        scores = {name: self.utility.compare(original, release) for name, release in releases.items()}
        provenance = Provenance(name="study", parameters=list_parameters(self), seed=seed.value)
        errors_by_release: dict[str, list[dict[str, float]]] = {name: [] for name in releases}
        for number, (name, rows) in enumerate(self._run_jobs(jobs, Purchases.of(original)), start=1):
            errors_by_release[name] += rows
            if number < len(releases):
                continue
            sampled = tuple(
                ReleaseErrors(
                    name=each,
                    utility=score.value,
                    columns=score.detail,
                    errors=_collect_columns(errors_by_release[each]),
                    bounds=bounds[each],
                    provenance=releases[each].provenance,
                )
                for each, score in scores.items()
            )
            yield StudyStep(
                done=sum(map(len, errors_by_release.values())),
                total=self.samples * len(releases),
                findings=Findings.over(sampled, level=self.level, provenance=provenance),
            )

    def _run_jobs(self, jobs: Sequence[_Job], original: Purchases) -> Iterator[tuple[str, list[dict[str, float]]]]:
        yardsticks = self.cases.against(original)
        if self.processes == 1:
            for job in jobs:
                yield job.name, job.errors(yardsticks)
            return
        # spawned, not forked: a fork of a process that runs threads (polars) may hang
        with ProcessPoolExecutor(
            self.processes, mp_context=get_context("spawn"), initializer=_equip_process, initargs=(yardsticks,)
        ) as pool:
            for job, rows in zip(jobs, pool.map(_run_job, jobs), strict=True):
                yield job.name, rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Job:
    """Some samples of one release."""

    name: str
    draws: Draws
    numbers: range
    seed: Seed

    def errors(self, yardsticks: Yardsticks) -> list[dict[str, float]]:
        return [yardsticks.errors(self._sample(number)) for number in self.numbers]

    def _sample(self, number: int) -> Purchases:
        return Purchases.draw(self.draws, rng=self.seed.child(f"{self.name}/{number}").rng())


_EQUIPPED: list[Yardsticks] = []


def _equip_process(yardsticks: Yardsticks) -> None:
    _EQUIPPED[:] = [yardsticks]


def _run_job(job: _Job) -> list[dict[str, float]]:
    return job.errors(_EQUIPPED[0])


def _collect_columns(rows: Sequence[Mapping[str, float]]) -> dict[str, NDArray[np.float64]]:
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
