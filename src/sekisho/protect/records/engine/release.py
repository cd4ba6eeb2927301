"""PRAM and samples of records beyond memory: the release is that of memory, made in blocks and ordered by an engine.

Each record is coded, changed by its own words and given a place in one pass; then those that are drawn are sorted by
their places, and their texts are put back as they are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np

from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.scan import Scan
from sekisho.data.records.category_counts import CategoryCounts
from sekisho.protect.records.draw import prepare_draw
from sekisho.protect.records.engine.drawing import choose_bits, keep_drawn, sort_places
from sekisho.protect.records.engine.kernels import CodedColumn, ReleaseKernel, TextKernel, code_name
from sekisho.protect.records.engine.records import LargeRecords
from sekisho.protect.records.pram import Pram
from sekisho.protect.records.sample import Sample, list_parts
from sekisho.provenance import Provenance, list_parameters
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.pram import PkFinding
from sekisho.safety.sampling import SampleRisk
from sekisho.seeds import choose_lasting_words, describe_randomness

COUNT = "records"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeRelease:
    """A release that is written as it is made.

    Attributes:
        published: what leaves, in its order.
        mechanism: what was done, which may be published.
        counts: how many records of the original bear each value.
        provenance: what made it.
        detail: what is told of it, as plain data.
    """

    published: Scan
    mechanism: Mechanism
    counts: CategoryCounts
    provenance: Provenance
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargePramRelease(LargeRelease):
    """A release and what it promises."""

    guarantee: PkFinding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeSampleRelease(LargeRelease):
    """A plain sample and its risk.

    Attributes:
        everybody: all records as codes, each with its row where a number of known records is given.
        drawn: those of them that leave.
        codes: the columns of the codes.
        risk: under the assumption of the model; None where no number of known records was given.
        known: how many records the adversary is thought to know; None where that was not given.
        uniques: how many records of the original have values that nobody else has.
    """

    everybody: Scan
    drawn: Scan
    codes: Sequence[str]
    risk: SampleRisk | None
    known: int | None
    uniques: int


def release_pram(method: Pram, records: LargeRecords, *, rng: np.random.Generator) -> LargePramRelease:
    """Return a file changed by chance, drawn and shuffled, with its promise.

    Raises:
        InfeasibleError: no retention keeps the wanted k.
    """
    counts = records.count_categories()
    mechanism = method.settle(counts)
    places = {name: place for place, name in enumerate(mechanism.transitions)}
    columns = tuple(
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
    kernel = _prepare_kernel(records, mechanism, counts, columns, rng)
    everybody = map_blocks(records.scan, kernel, kernel.schema)
    return LargePramRelease(
        published=_publish(_draw(everybody, mechanism), columns),
        mechanism=mechanism,
        counts=counts,
        provenance=Provenance(name="pram", parameters=list_parameters(method)),
        detail=method.describe(mechanism, describe_randomness(rng)),
        guarantee=mechanism.finding(),
    )


def release_sample(method: Sample, records: LargeRecords, *, rng: np.random.Generator) -> LargeSampleRelease:
    """Return a sample of a file; its detail holds the risk if ``known`` is given."""
    counts = records.count_categories()
    mechanism = method.settle(counts)
    columns = tuple(
        CodedColumn(name=name, values=counts.domain(name), released=counts.domain(name)) for name in counts.names
    )
    kernel = _prepare_kernel(records, mechanism, counts, columns, rng, rows=method.known is not None)
    everybody = map_blocks(records.scan, kernel, kernel.schema)
    drawn = _draw(everybody, mechanism)
    codes = [code_name(place) for place in range(len(columns))]
    uniques = _count_uniques(everybody, codes)
    return LargeSampleRelease(
        published=_publish(drawn, columns),
        mechanism=mechanism,
        counts=counts,
        provenance=Provenance(name="sample", parameters=list_parameters(method)),
        detail=method.describe(mechanism, uniques, describe_randomness(rng)),
        everybody=everybody,
        drawn=drawn,
        codes=codes,
        risk=method.judge(mechanism),
        known=method.known,
        uniques=uniques,
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


def _publish(drawn: Scan, columns: tuple[CodedColumn, ...]) -> Scan:
    codes = sort_places(drawn.frame).select([code_name(place) for place in range(len(columns))])
    kernel = TextKernel(columns=columns)
    return map_blocks(drawn.ask(codes), kernel, kernel.schema)


def _count_uniques(everybody: Scan, codes: Sequence[str]) -> int:
    alone = everybody.frame.group_by(*codes).agg(nw.len().alias(COUNT)).filter(nw.col(COUNT) == 1)
    return int(everybody.collect(alone.select(nw.len().alias(COUNT))).item())
