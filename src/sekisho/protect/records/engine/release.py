"""PRAM and samples of records beyond memory: the release is that of memory, made in blocks and ordered by an engine.

Each record is coded, changed by its own words and given a place in one pass; then those that are drawn are sorted by
their places, and what is written is put in the place of their codes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypedDict

import narwhals as nw
import numpy as np

from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.scan import Scan
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.identifying import Identifying
from sekisho.data.records.microdata import CategoryCounts
from sekisho.protect.beyond_memory import EngineRelease, EngineTask
from sekisho.protect.records.draw import prepare_draw
from sekisho.protect.records.engine.drawn_file import DrawnFile, MadeFile, open_drawn_file, refuse_households
from sekisho.protect.records.engine.kernels import (
    CodedColumn,
    ReleaseKernel,
    choose_bits,
    code_name,
    keep_drawn,
)
from sekisho.protect.records.engine.records import LargeRecords
from sekisho.protect.records.pram import Pram
from sekisho.protect.records.sample import Sample, list_parts
from sekisho.provenance import Provenance, list_parameters
from sekisho.safety.epsilon import EpsilonFinding
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.pram import PkFinding
from sekisho.safety.sampling import SampleRisk
from sekisho.safety.terms import Terms
from sekisho.safety.transition import keeps_values
from sekisho.seeds import Seed, choose_lasting_words, describe_randomness, secret_rng
from sekisho.words import Said

COUNT = "records"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EngineDrawn(EngineRelease):
    """Records that are drawn, and written as they are made.

    Attributes:
        mechanism: what was done, which may be published.
        counts: how many records of the original bear each value.
    """

    mechanism: Mechanism
    counts: CategoryCounts

    @property
    def epsilon(self) -> EpsilonFinding:
        """What it says about one record."""
        return self.mechanism.measure_epsilon()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EnginePramRelease(EngineDrawn):
    """A release and what it promises."""

    guarantee: PkFinding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EngineSampleRelease(EngineDrawn):
    """A plain sample and its risk.

    Attributes:
        everybody: all records as codes, each with its row where a number of known records is given.
        selected: those of them that leave.
        codes: the columns of the codes.
        risk: under the assumption of the model; None where no number of known records was given.
        known: how many records the adversary is thought to know; None where that was not given.
        uniques: how many records of the original have values that nobody else has.
    """

    everybody: Scan
    selected: Scan
    codes: Sequence[str]
    risk: SampleRisk | None
    known: int | None
    uniques: int

    @property
    def promised(self) -> bool:
        """Tell whether the risk that was asked for is below 1 under the assumption; so it is where none was."""
        return self.risk is None or self.risk.promised


@dataclass(frozen=True, slots=True, kw_only=True)
class EnginePram:
    """PRAM where the rows are."""

    method: Pram

    @contextmanager
    def release(self, task: EngineTask, seed: Seed) -> Generator[EnginePramRelease]:
        """Give a file changed by chance, drawn and shuffled, with its promise.

        Raises:
            InfeasibleError: no retention keeps the wanted k.
        """
        method, rng = self.method, choose_rng(task, seed, "pram")
        if method.household:
            refuse_households(method.household)
        with open_drawn_file(task) as file:
            records = file.records
            counts = records.count_categories()
            mechanism = method.settle(counts)
            columns = _code_changed(method, mechanism, counts)
            kernel = _prepare_kernel(records, mechanism, counts, columns, rng)
            everybody = map_blocks(records.scan, kernel, kernel.schema)
            yield EnginePramRelease(
                **_describe(task, file, mechanism, counts, file.make(_draw(everybody, mechanism), columns)),
                provenance=Provenance(name="pram", parameters=list_parameters(method)),
                detail=method.describe(mechanism, describe_randomness(rng)),
                guarantee=mechanism.finding(),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSample:
    """Sampling where the rows are."""

    method: Sample

    @contextmanager
    def release(self, task: EngineTask, seed: Seed) -> Generator[EngineSampleRelease]:
        """Give a sample of a file; its detail holds the risk if ``known`` is given."""
        method, rng = self.method, choose_rng(task, seed, "sample")
        if method.household:
            refuse_households(method.household)
        with open_drawn_file(task) as file:
            records = file.records
            counts = records.count_categories()
            mechanism = method.settle(counts)
            columns = tuple(
                CodedColumn(name=name, values=counts.domain(name), released=counts.domain(name))
                for name in counts.names
            )
            kernel = _prepare_kernel(records, mechanism, counts, columns, rng, rows=method.known is not None)
            everybody = map_blocks(records.scan, kernel, kernel.schema)
            selected = _draw(everybody, mechanism)
            codes = [code_name(place) for place in range(len(columns))]
            uniques = _count_uniques(everybody, codes)
            yield EngineSampleRelease(
                **_describe(task, file, mechanism, counts, file.make(selected, columns)),
                provenance=Provenance(name="sample", parameters=list_parameters(method)),
                detail=method.describe(mechanism, uniques, describe_randomness(rng)),
                everybody=everybody,
                selected=selected,
                codes=codes,
                risk=method.judge(mechanism),
                known=method.known,
                uniques=uniques,
            )


def choose_rng(task: EngineTask, seed: Seed, name: str) -> np.random.Generator:
    """Return where the chance of a method comes from: the operating system, or the run's seed."""
    return secret_rng() if task.secret else seed.child(name).rng()


class _Drawn(TypedDict):
    """What is known of drawn records, whatever method drew them."""

    published: Scan
    put: Callable[[], None]
    records: int
    kept: int
    terms: Terms
    kinds: Mapping[str, Kind]
    lasting: tuple[Identifying, ...]
    drawn: bool
    mechanism: Mechanism
    counts: CategoryCounts
    unchanged: bool


def _describe(
    task: EngineTask, file: DrawnFile, mechanism: Mechanism, counts: CategoryCounts, made: MadeFile
) -> _Drawn:
    words = Said("{form}; {whole:,} records", form=file.records.scan.form, whole=mechanism.records)
    task.say(Notice(what="form", message=words))
    return _Drawn(
        published=made.published,
        put=made.put,
        records=mechanism.records,
        kept=mechanism.sample,
        terms=file.terms,
        kinds=file.list_kinds(made.published.names),
        lasting=file.list_lasting(counts),
        drawn=True,
        mechanism=mechanism,
        counts=counts,
        unchanged=mechanism.sample == mechanism.records and all(map(keeps_values, mechanism.transitions.values())),
    )


def _code_changed(method: Pram, mechanism: Mechanism, counts: CategoryCounts) -> tuple[CodedColumn, ...]:
    """Return the columns that are released, changed but for that of the strata."""
    places = {name: place for place, name in enumerate(mechanism.transitions)}
    return tuple(
        CodedColumn(
            name=name,
            values=counts.domain(name),
            released=mechanism.domains.get(name, counts.domain(name)),
            draw=prepare_draw(mechanism.transitions[name]) if name in places else None,
            place=places.get(name, 0),
        )
        for name in counts.names
        if name in places or not method.hide_strata
    )


def _prepare_kernel(
    records: LargeRecords,
    mechanism: Mechanism,
    counts: CategoryCounts,
    columns: tuple[CodedColumn, ...],
    rng: np.random.Generator,
    *,
    rows: bool = False,
) -> ReleaseKernel:
    stratum = mechanism.stratum
    parts = counts.domain(stratum) if stratum else ()
    return ReleaseKernel(
        keys=records.find_keys(),
        words=choose_lasting_words(rng),
        columns=columns,
        strata=CodedColumn(name=stratum, values=parts, released=parts) if stratum else None,
        bits=choose_bits(list_parts(mechanism)),
        rows=rows,
    )


def _draw(everybody: Scan, mechanism: Mechanism) -> Scan:
    parts = list_parts(mechanism)
    return everybody.ask(keep_drawn(everybody, parts, choose_bits(parts)))


def _count_uniques(everybody: Scan, codes: Sequence[str]) -> int:
    alone = everybody.frame.group_by(*codes).agg(nw.len().alias(COUNT)).filter(nw.col(COUNT) == 1)
    return int(everybody.collect(alone.select(nw.len().alias(COUNT))).item())
