"""How likely a person is found in a sample by somebody who knows only a part of the population.

The adversary knows the values of n0 of the n records and **believes** that the others follow the same distribution. A
sample of **fixed** size m, drawn without replacement and shuffled, is published. Whatever he knows and whatever comes
out, his chance of tying a released record to a person is at most

    risk = n0 / (n - m + 1)        while nhat = n - n0 - (m - 1) >= 0,

and 1 otherwise: then, and where the size is not fixed, a sample may come out that leaves no double possible. It is the
paper's claim 4.1: the chance if the sample's other m - 1 records are people whom he does not know. He cannot be sure of
that, for in his belief everybody bears a value that he knows. So for m = 1 the risk is his greatest chance, and for
m > 1 it is an upper bound that is never attained. His greatest chance itself is

    chance = n0 / (n - m + 1 + I),   I = (m - 1) n0 / ((m - 1) n0 + n - n0 - m + 2)

for n0 > 1, and 1/n for n0 = 1; I is how many people he knows among the other m - 1 records, on average, in the sample
that suits him best. n = 5, n0 = 2, m = 2: 5/11, where the risk says 1/2. Proofs: docs/proofs/pk-anonymity.md. Source:
Kikuchi, "How much can the sampling reduce the identification risk?", claim 4.1 and section 4.6.

The claim is printed as a double sum over i, j < nhat, where i = 1 + X counts the people who may be meant, from 1. The
Binomial of its proof has i up to nhat + 1, so the printed bounds leave its two largest terms out: as if he knew that at
most nhat - 2 of the nhat unknown people are doubles. n = 10, n0 = 5, m = 3 (nhat = 3) gives 0.7 as printed and 0.625 =
5/8 with all terms, which is the closed form and what is used here. (For nhat = 0 or 1 the printed sum is empty, a risk
of 0 where it is 1 or n0 / (n0 + 1).)

Both are chances **under the adversary's belief** (equation 1), not how often he is right on a given file. Where many
records of a file are unique, whoever claims those that are single both in his list and in the sample is right far more
often (:mod:`sekisho.attack.records.cell_adversary`). So sampling alone is never called guaranteed: its risk is promised
only under :data:`ASSUMPTION`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from sekisho.data.files.values import parse_exact
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.words import Said

MOST_RECORDS = 10**15
"""So many records a population may have; below that sizes are exact as floats, too."""


ASSUMPTION = Said(
    "the unknown records follow the distribution of the known ones, and no value is known to "
    "be unique in the population"
)
"""What the risk of a sample rests on; on a real file it must be measured, not taken for granted."""


Size = int | str
"""How many records are drawn: a number, or a share of those there are, written ``1%``."""


class Scheme(StrEnum):
    """How records are drawn: a fixed number of them, or each by its own coin; with replacement is refused."""

    FIXED = "fixed"
    BERNOULLI = "bernoulli"
    REPLACEMENT = "replacement"


def check_scheme(scheme: Scheme) -> None:
    """Refuse drawing with replacement: who is drawn twice is shown twice.

    After m draws e^epsilon is (1 + (e^epsilon - 1)/n)^m, which for m = n is worse than no sampling at all.
    """
    if scheme is Scheme.REPLACEMENT:
        rule = Said("draw each record at most once: with replacement is worse than no sampling at all")
        raise ParameterError("scheme", rule, str(scheme))


class GuaranteeGap(StrEnum):
    """Why there is no guarantee, in words."""

    BERNOULLI = "the sample's size is not fixed, so the whole table may come out: sampling promises nothing"
    EXHAUSTED = "no unknown record is left that could be a double (n - n0 - m + 1 is 0 or less)"
    FIRM = "a value can turn into some released value that another value never turns into (a zero in the matrix)"
    ALONE = "there is only one record to hide among"

    @property
    def words(self) -> Said:
        """It in words."""
        words = {
            GuaranteeGap.BERNOULLI: Said(
                "the sample's size is not fixed, so the whole table may come out: sampling promises nothing"
            ),
            GuaranteeGap.EXHAUSTED: Said(
                "no unknown record is left that could be a double (n - n0 - m + 1 is 0 or less)"
            ),
            GuaranteeGap.FIRM: Said(
                "a value can turn into some released value that another value never turns into (a zero in the matrix)"
            ),
            GuaranteeGap.ALONE: Said("there is only one record to hide among"),
        }
        return words[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """One part of the population, sampled on its own.

    Attributes:
        name: as reports say it.
        records: how many there are.
        sample: how many of them are drawn.
        known: how many of them the adversary knows.
    """

    name: str
    records: int
    sample: int
    known: int = 0

    def __post_init__(self) -> None:
        check_sizes(self.records, self.sample, where=f" of stratum {self.name}" if self.name else "", least=0)
        if not 0 <= self.known <= self.records:
            raise ParameterError(
                Said("known of stratum {name}", name=self.name),
                Said("lie between 0 and {most}", most=self.records),
                self.known,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRisk:
    """What the adversary's chance is at most, in which stratum, and why it is 1 if it is."""

    risk: Fraction
    stratum: str = ""
    gap: GuaranteeGap | None = None

    @property
    def promised(self) -> bool:
        """Tell whether anything is promised, under the assumption; without it sampling alone promises nothing."""
        return self.risk < 1

    @property
    def promise(self) -> str:
        """Return what is promised, and on what it rests, in words."""
        if self.promised:
            return Said(
                "promised only if the unknown records follow the distribution of the "
                "known ones, and no value is known to be unique in the population"
            )
        return Said("nothing is promised: {gap}", gap=self.gap.words if self.gap else self.gap)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialKnowledge:
    """The adversary who knows some records of a table.

    Attributes:
        records: n, how many there are.
        known: n0, how many of them he knows.
    """

    records: int
    known: int

    def __post_init__(self) -> None:
        if not 1 <= self.records <= MOST_RECORDS:
            raise ParameterError("records", Said("lie between 1 and {most:,}", most=MOST_RECORDS), self.records)
        if not 1 <= self.known <= self.records:
            raise ParameterError(
                "known", Said("lie between 1 and records ({records})", records=self.records), self.known
            )

    def risk(self, sample: int, *, scheme: Scheme = Scheme.FIXED) -> SampleRisk:
        """Return what his chance against a sample of that size is at most; for a single record it is his chance."""
        check_sizes(self.records, sample)
        check_scheme(scheme)
        if scheme is Scheme.BERNOULLI:
            return SampleRisk(risk=Fraction(1), gap=GuaranteeGap.BERNOULLI)
        if self.records - self.known - sample + 1 < 0:
            return SampleRisk(risk=Fraction(1), gap=GuaranteeGap.EXHAUSTED)
        risk = Fraction(self.known, self.records - sample + 1)
        return SampleRisk(risk=risk, gap=GuaranteeGap.EXHAUSTED if risk == 1 else None)

    def greatest_chance(self, sample: int) -> Fraction:
        """Return his greatest chance against a sample of that fixed size, over all that he may know and see.

        It is never above the risk, and below it for more than one record drawn of a population that is not exhausted.
        """
        check_sizes(self.records, sample)
        unknown, others = self.records - self.known, sample - 1
        if unknown < others:
            return Fraction(1)
        if self.known == 1:  # then he takes everybody to be like the one he knows
            return Fraction(1, self.records)
        acquaintances = Fraction(others * self.known, others * self.known + unknown - others + 1)
        return self.known / (self.records - others + acquaintances)

    def largest_sample(self, risk: Fraction) -> int:
        """Return the largest fixed size whose risk is at most the given one: floor(n + 1 - n0/risk).

        Raises:
            InfeasibleError: not even a single record may be published.
        """
        if not 0 < risk < 1:
            raise ParameterError("risk", Said("lie strictly between 0 and 1"), str(risk))
        size = (self.records + 1 - self.known / risk).__floor__()
        if size < 1:
            least = Fraction(self.known, self.records)
            raise InfeasibleError(
                Said(
                    "no sample keeps the risk at {risk}: one record out of {records} already has risk "
                    "{least} when {known} are known",
                    risk=risk,
                    records=self.records,
                    least=least,
                    known=self.known,
                )
            )
        return size


def stratified_risk(strata: Sequence[Stratum], *, scheme: Scheme = Scheme.FIXED) -> SampleRisk:
    """Return the worst stratum's risk, n0_h / (n_h - m_h + 1); strata of which nothing is known or drawn add none.

    This is the risk where the stratum is visible in the release. Where it is hidden the risk is at most this.
    """
    if not strata:
        raise ParameterError("strata", Said("hold at least one stratum"), strata)
    worst = SampleRisk(risk=Fraction(0), stratum=strata[0].name)
    for part in strata:
        if part.known == 0 or part.sample == 0:
            continue
        own = PartialKnowledge(records=part.records, known=part.known).risk(part.sample, scheme=scheme)
        if own.risk > worst.risk:
            worst = SampleRisk(risk=own.risk, stratum=part.name, gap=own.gap)
    return worst


def stratified_chance(strata: Sequence[Stratum], *, scheme: Scheme = Scheme.FIXED) -> Fraction:
    """Return the greatest chance of any stratum, which is the adversary's where the stratum is visible.

    Where it is hidden his chance is at most this.
    """
    check_scheme(scheme)
    shown = [part for part in strata if part.known and part.sample]
    if scheme is Scheme.BERNOULLI and shown:
        return Fraction(1)
    chances = [PartialKnowledge(records=part.records, known=part.known).greatest_chance(part.sample) for part in shown]
    return max(chances, default=Fraction(0))


def largest_samples(strata: Sequence[Stratum], risk: Fraction) -> tuple[Stratum, ...]:
    """Return the strata with the largest samples whose risk is at most the given one.

    All of a stratum of which nothing is known.

    Raises:
        ParameterError: a stratum already says how many are drawn.
        InfeasibleError: a stratum of which not even a single record may be published.
    """
    if decided := [part.name for part in strata if part.sample]:
        raise ParameterError(
            "strata", Said("leave their samples open where the largest are asked for"), ", ".join(decided)
        )
    return tuple(replace(part, sample=_largest_sample(part, risk)) for part in strata)


def _largest_sample(part: Stratum, risk: Fraction) -> int:
    if not part.known:
        return part.records
    return PartialKnowledge(records=part.records, known=part.known).largest_sample(risk)


def count_sample(size: Size, records: int, *, name: str = "sample") -> int:
    """Return how many records a size means: itself, or of a share p of n records floor(p n), as the source counts.

    Raises:
        ParameterError: it is neither, the share is not above 0 and at most 100%, or it is less than one record.
    """
    if isinstance(size, int) and not isinstance(size, bool):
        return size
    share = read_share(size, name=name)
    count = (share * records).__floor__()
    if count < 1:
        raise ParameterError(name, Said("be at least one of the {records:,} records", records=records), size)
    return count


def read_share(size: object, *, name: str = "sample") -> Fraction:
    """Return a share that is written as a percentage.

    Raises:
        ParameterError: it is none, or is not above 0 and at most 100%.
    """
    rule = Said("be a whole number of records, or a percentage such as 1% or 0.5%")
    if not isinstance(size, str) or not size.strip().endswith("%"):
        raise ParameterError(name, rule, size)
    try:
        share = parse_exact(size.strip()[:-1].strip()) / 100
    except ValueError as error:
        raise ParameterError(name, rule, size) from error
    if not 0 < share <= 1:
        raise ParameterError(name, Said("lie above 0% and be at most 100%"), size)
    return share


def check_sizes(records: int, sample: int, *, where: str = "", least: int = 1) -> None:
    """Refuse a population without records and a sample that is smaller than the least or larger than the population."""
    if not 1 <= records <= MOST_RECORDS:
        raise ParameterError(f"records{where}", Said("lie between 1 and {most:,}", most=MOST_RECORDS), records)
    if not least <= sample <= records:
        raise ParameterError(
            f"sample{where}", Said("lie between {least} and records ({records})", least=least, records=records), sample
        )
