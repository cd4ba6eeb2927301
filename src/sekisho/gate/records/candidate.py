"""A release of records at the gate, and its file: written, and what was promised counted again from what is written.

A file of few rows is read back from its bytes, as whoever gets it will read it. Of a larger one the rows are counted as
they are handed to the writer: its bytes would take as long to read as all the rest.

How often somebody who knows a part of the records is right about a sample: measured on the holder's own file.

The risk of a sample rests on an assumption about the records that the adversary does not know. The holder has them all,
so he can try: he draws by chance the part that the adversary knows, several times, lets him claim whoever is single
both in that part and in the sample, and counts. Given the file and the sample the draws are independent, so the exact
interval of Clopper and Pearson holds for the rate over all such parts.

By blind chance a claim is right once in as many as there are records: a person is drawn with chance m/n, and then is
one record of m.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.cell_adversary import draw_known_rows, match_single_rows
from sekisho.data.files.published_frame import PublishedRows
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.records.files import lay_out_rows, write_rows, write_whole_rows
from sekisho.data.records.space import number_equal_rows
from sekisho.data.records.written_release import read_back
from sekisho.data.review import ReleaseReview, review_release
from sekisho.gate.names import name_label
from sekisho.gate.outcome import Attempt, Reason, ReviewedCandidate
from sekisho.gate.policy import list_useless_columns, make_reason
from sekisho.gate.records.recount import Recount, RowClasses, recount_promises
from sekisho.protect.records.sample import DrawnSample, SampleRelease
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.sampling import SampleRisk
from sekisho.safety.terms import RecordTerms
from sekisho.safety.usefulness import is_hardly_useful
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import Condition
from sekisho.utility.score import Score
from sekisho.words import Said

if TYPE_CHECKING:  # the attack, which only a sample needs
    from sekisho.protect.beyond_memory import EngineRelease


DRAWS = 20
"""How many known parts are tried: 20 give hundreds of claims on a file with uniques, and so a narrow interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPartAttack:
    """What the attack came to, all known parts together.

    Attributes:
        known: how many records he knows.
        draws: how many parts of that size were tried.
        records: how many records there are.
        rate: how many of his claims were right.
    """

    known: int
    draws: int
    records: int
    rate: HitRate

    @property
    def by_chance(self) -> float:
        """How often a claim is right that is made blindly: one person of all, one record of the sample."""
        return 1 / self.records

    def refutes(self, risk: SampleRisk | None) -> bool:
        """Tell whether he was right more often than the risk says he can be, beyond doubt."""
        return risk is not None and self.rate.low > risk.risk

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "known": self.known,
            "draws": self.draws,
            "claimed": self.rate.trials,
            "right": self.rate.hits,
            "rate": self.rate.value,
            "low": self.rate.low,
            "high": self.rate.high,
            "by_chance": self.by_chance,
        }


class SampledRecords(Protocol):
    """A sample and all records, wherever they are."""

    @property
    def records(self) -> int:
        """How many there are."""
        ...

    def count_claims(self, parts: Iterable[NDArray[np.intp]]) -> HitRate:
        """Return how often he is right who claims whoever is single in the rows that he knows and in the sample.

        Args:
            parts: the rows that he knows; all are counted together.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampledRows:
    """A sample of rows in memory.

    Attributes:
        data: all records.
        drawn: the rows of the sample.
    """

    data: Dataset
    drawn: NDArray[np.intp]

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.data)

    def count_claims(self, parts: Iterable[NDArray[np.intp]]) -> HitRate:
        """Return how often he is right who claims whoever is single in the rows that he knows and in the sample."""
        names = [column.name for column in self.data.schema.attributes]
        (everybody,) = number_equal_rows(self.data, columns=names)
        sample = everybody[self.drawn]
        claimed = right = 0
        for rows in parts:
            who, where = match_single_rows(everybody[rows], sample)
            claimed, right = claimed + len(who), right + int(np.sum(self.drawn[where] == rows[who]))
        return HitRate(hits=right, trials=claimed)


def attack_with_known_part(sample: SampledRecords, known: int, *, seed: Seed, draws: int = DRAWS) -> KnownPartAttack:
    """Let the adversary who knows so many records, drawn by chance, attack a sample; count all draws."""
    records, most = sample.records, min(known, sample.records)
    parts = (draw_known_rows(records, most, rng=seed.child(f"known part {number}").rng()) for number in range(draws))
    return KnownPartAttack(known=most, draws=draws, records=records, rate=sample.count_claims(parts))


def try_known_part(data: Dataset, release: Release, *, seed: Seed) -> KnownPartAttack | None:
    """Let the adversary attack whom a sample was drawn against; None of other releases, and where nobody was named."""
    if not isinstance(release, SampleRelease) or release.known is None:
        return None
    return attack_with_known_part(SampledRows(data=data, drawn=release.drawn), release.known, seed=seed)


def list_promise_reasons(release: Release | EngineRelease, tried: KnownPartAttack | None) -> Iterator[Reason]:
    """Give why what a method was asked to promise does not hold: it cannot promise it, or an attack refutes it."""
    risk = release.risk if isinstance(release, DrawnSample) else None
    promised = release.promised if isinstance(release, DrawnSample) else release.detail.get("guaranteed") is not False
    if not promised:
        yield make_reason(
            "guarantee broken",
            Said("{name}: what was asked for is not promised", name=name_label(release.provenance.name)),
        )
    if tried is not None and tried.refutes(risk):
        yield make_reason(
            "promise refuted", Said("{hits} of {trials} named rightly", hits=tried.rate.hits, trials=tried.rate.trials)
        )


CONDITION = "condition broken"
UTILITY = ("rate", "odds", "cor")
"""The conditions that measure utility."""
FEW = 100_000
"""Up to so many rows a file is read back."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleaseFile:
    """The bytes of a file, and what the method promised, counted from what is written."""

    content: bytes
    recounts: tuple[Recount, ...]


A_co = TypeVar("A_co", bound=Attempt, covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordsCandidate(ReviewedCandidate[A_co]):
    """One release of records, and what came of it.

    Attributes:
        ordered: whether row i of it is known to be what became of row i of the original.
        conditions: of the round, kept or broken; none where none is asked for.
        known_part: of a sample, what one came to who knows as many records as were named; else None.
    """

    ordered: bool = True
    conditions: tuple[Condition, ...] = ()
    known_part: KnownPartAttack | None = None

    @property
    def refuted(self) -> bool:
        """Whether he was right more often than was promised."""
        risk = self.release.risk if isinstance(self.release, DrawnSample) else None
        return self.known_part is not None and self.known_part.refutes(risk)

    def write(self, rules: RecordTerms, rows: NDArray[np.intp], out: Path) -> ReleaseFile:
        """Return rows of the release, in their order, as their file has them; what was promised is counted again.

        What a review says are reasons here, and the verdict says where the file goes.

        Args:
            rules: settled by the original.
            rows: kept rows of the original, as they are published.
            out: the file; its ending says whether it is Parquet.
        """
        return write_and_count(_leave_out_hidden(self.release.take(rows)), rules, out, review=self.review)


AnyRecordsCandidate: TypeAlias = RecordsCandidate[Attempt]


def judge_use(
    review: ReleaseReview, *, kept: int, rows: int, lost: float, drawn: bool = False
) -> tuple[ReleaseReview, tuple[Reason, ...]]:
    """Return the review of records with whether they are of hardly any use, and what the gate has against that.

    Few are left, their keys tell nothing, or all is noise. Records that were not drawn into a sample are not lost: so
    few were asked for.

    Args:
        review: what else a person must look at.
        kept: how many records are released.
        rows: of how many.
        lost: how much of what the keys told is lost, of at most 1.
        drawn: whether they are a sample.
    """
    little = not drawn and is_hardly_useful(kept=kept, records=rows, lost=lost)
    if not little and review.useful and not review.noisy:
        return review, ()
    names = ", ".join(review.noisy)
    noise = Said(", hardly anything is kept of {names}", names=names) if names else ""
    detail = Said(
        "{kept:,} of {rows:,} records left, NCP {ncp:.3f} of at most 1{noise}",
        kept=kept,
        rows=rows,
        ncp=lost,
        noise=noise,
    )
    told = review if review.noisy or not review.useful else replace(review, useful=False, lost=lost)
    return told, (make_reason("hardly any use", detail),)


def judge_release_use(
    release: Release, review: ReleaseReview, *, lost: float
) -> tuple[ReleaseReview, tuple[Reason, ...]]:
    """Return :func:`judge_use` of a release."""
    kept, rows = int((~release.deleted).sum()), len(release.deleted)
    return judge_use(review, kept=kept, rows=rows, lost=lost, drawn=release.order is not None)


def list_useless_keys(
    lost: Score, distinct: Callable[[str], int], *, left_out: Iterable[str] = ()
) -> tuple[Reason, ...]:
    """Return that hardly anything is left of some keys; of two values either both are told or nothing is.

    Args:
        lost: the NCP, with that of each key.
        distinct: tells how many different values of a key there are in the original.
        left_out: keys that are left out on purpose, which is no surprise.
    """
    losses = {name: loss for name, loss in lost.detail.items() if distinct(name) > 2}
    return list_useless_columns(losses, left_out=left_out)


def list_useless_in_release(
    lost: Score, data: Dataset, release: Release, *, left_out: Iterable[str]
) -> tuple[Reason, ...]:
    """Return :func:`list_useless_keys` of a release in memory; what its method was asked to hide is left out, too."""
    hidden = (*left_out, *_list_hidden(release))
    return list_useless_keys(lost, lambda name: data.frame[name].n_unique(), left_out=hidden)


def score_strain(checked: tuple[Condition, ...]) -> Score:
    """Return how near a release comes to a limit of utility: the largest of value over limit, each in the detail.

    Where no measure of utility has a limit, the largest of the values themselves.
    """
    measured = [one for one in checked if one.value is not None and one.name in UTILITY]
    used = {one.name: one.value / one.limit for one in measured if one.value is not None and one.limit}
    if all(one.limit is None for one in checked if one.name in UTILITY):
        used = {one.name: one.value for one in measured if one.value is not None}
    return Score(value=max(used.values(), default=float("inf")), detail=used)


def list_broken(checked: tuple[Condition, ...]) -> tuple[Reason, ...]:
    """Return which conditions a release breaks."""
    return tuple(make_reason(CONDITION, one.describe()) for one in checked if not one.met)


def _list_hidden(release: Release) -> tuple[str, ...]:
    """Return the columns of drawn records that their method hides."""
    if release.order is None or not len(release.table):
        return ()
    return tuple(name for name, cells in release.table.columns.items() if bool(cells.suppressed.all()))


def _leave_out_hidden(release: Release) -> Release:
    """Return drawn records without the columns that their method hides."""
    hidden = _list_hidden(release)
    if not hidden:
        return release
    schema = Schema(tuple(column for column in release.table.schema if column.name not in hidden))
    cells = {name: column for name, column in release.table.columns.items() if name not in hidden}
    return replace(release, table=MaskedTable(schema=schema, columns=cells))


def write_and_count(
    release: Release, rules: RecordTerms, out: Path, *, review: ReleaseReview | None = None
) -> ReleaseFile:
    """Return the file of a release.

    Args:
        release: its rows; take the kept ones first, in the order in which they leave.
        rules: one's own, settled by the original; or a contest's, whose files hold whole values only.
        out: where it is to be written; its ending says whether it is Parquet.
        review: what whoever writes it has been told; made now if None, and a release that may harm people is refused.

    Raises:
        ReviewNeededError: nobody reviewed it, and it may harm people.
        BugError: what is written does not keep what the method promised.
        ParameterError: Parquet, or a generalised cell, under a contest's rules.
    """
    if review is None:
        review_release(release).refuse()
    if rules.layout.strict:
        return ReleaseFile(content=write_whole_rows(release.table.to_dataset(), rules, out), recounts=())
    rows = lay_out_rows(release, rules, out)
    content = write_rows(rows, rules, out)
    if not release.detail.keys() & {"alike", "matched"}:
        return ReleaseFile(content=content, recounts=())
    if len(rows) <= FEW:
        rows = PublishedRows(read_back(content, out, rules, tuple(release.table.columns)))
    fields = {each.name: each for each in rules.layout.settle_columns(release.table.schema).columns}
    return ReleaseFile(content=content, recounts=recount_promises(RowClasses(rows=rows, fields=fields), release.detail))
