"""Pk-anonymity of PRAM, then sampling: nobody, whatever he knows, links a record to a person with chance above 1/k.

The adversary may know the whole original table, the transition matrices and the sizes; he sees the released table. The
records are changed independently of one another (PRAM), then m of the n are drawn without replacement, then shuffled.
Then

    k = 1 + (n - m) r1 + (m - 1) r2

with the minima r1 >= r2 of :mod:`sekisho.safety.transition`, products over the attributes. PRAM alone is m = n. The
promise is kept for every table, every release and every record; `attained` is the k of a table and a release that the
proof constructs, so the best k that could be promised lies between the two (they are equal for replacement, and
whenever one pair of values attains both minima).

Strata whose name the release shows keep people apart: k is the least of the strata's. Where the name is hidden this is
a lower bound.

Source: Kikuchi, "How much can the sampling reduce the identification risk?", theorem 5.1; Ikarashi, Kikuchi, Chida,
Takahashi, "k-anonymous microdata release via post randomisation method", IWSEC 2015 (PRAM alone); strata:
docs/proofs/pk-anonymity.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from sekisho.errors import ParameterError
from sekisho.safety.sampling import GuaranteeGap, Scheme, Stratum, check_scheme, check_sizes
from sekisho.safety.transition import Real, Transition, ValueSwap
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class PkFinding:
    """What is promised for one release.

    Attributes:
        k: the promise.
        attained: a k that some table and release do not exceed; the promise cannot be raised above it.
        r1: the minimum for records left out.
        r2: the minimum for records drawn.
        records: n, of the stratum that decides.
        sample: m, of the stratum that decides.
        stratum: the name of the stratum that decides; empty where there are no strata.
        lower_bound: whether strata are hidden, so that k may be larger than said.
        firm: attributes whose matrix has a zero, each of which alone takes the promise away.
        gaps: why nothing, or less than asked for, is promised.
    """

    k: Real
    attained: Real
    r1: Real
    r2: Real
    records: int
    sample: int
    stratum: str = ""
    lower_bound: bool = False
    firm: tuple[str, ...] = ()
    gaps: tuple[GuaranteeGap, ...] = ()

    @property
    def risk(self) -> Real:
        """The greatest chance of a right claim, 1/k."""
        return 1 / self.k

    @property
    def guaranteed(self) -> bool:
        """Tell whether anything is promised at all."""
        return self.k > 1

    def as_dict(self) -> dict[str, object]:
        """Return the finding as plain data; exact numbers also as written fractions."""
        exact = {"k_exact": str(self.k)} if isinstance(self.k, Fraction) else {}
        return {
            "k": float(self.k),
            **exact,
            "risk": float(self.risk),
            "attained": float(self.attained),
            "r1": float(self.r1),
            "r2": float(self.r2),
            "records": self.records,
            "sample": self.sample,
            "stratum": self.stratum,
            "lower_bound": self.lower_bound,
            "firm": list(self.firm),
            "guaranteed": self.guaranteed,
            "gaps": [str(gap) for gap in self.gaps],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PkAnonymity:
    """The guarantee of PRAM with these matrices, alone or followed by sampling.

    Attributes:
        transitions: each attribute's matrix by name; an attribute that is released unchanged belongs here too
            (retention 1).
        scheme: how the sample is drawn. With single coins (Bernoulli) only PRAM's own promise remains.
    """

    transitions: Mapping[str, Transition]
    scheme: Scheme = Scheme.FIXED

    def __post_init__(self) -> None:
        check_scheme(self.scheme)
        if not self.transitions:
            raise ParameterError("transitions", Said("hold at least one attribute"), self.transitions)

    def check(self, *, records: int, sample: int | None = None) -> PkFinding:
        """Return what is promised for a sample of n records; without a sample, for all of them."""
        size = records if sample is None else sample
        check_sizes(records, size)
        return self._check_part(records, size, *self._find_hardest())

    def check_strata(self, strata: Sequence[Stratum], *, visible: bool = True) -> PkFinding:
        """Return what is promised for the stratum that is hidden worst.

        Strata of which nothing is drawn are left out.
        """
        hardest = self._find_hardest()
        drawn = [part for part in strata if part.sample]
        if not drawn:
            raise ParameterError("strata", Said("draw at least one record"), [part.name for part in strata])
        findings = [
            self._check_part(part.records, part.sample, *hardest, part.name, hidden=not visible) for part in drawn
        ]
        return min(findings, key=lambda finding: finding.k)

    def _find_hardest(self) -> tuple[tuple[ValueSwap, ...], tuple[ValueSwap, ...]]:
        pairs = [transition.find_hardest() for transition in self.transitions.values()]
        return tuple(first for first, _ in pairs), tuple(second for _, second in pairs)

    def _check_part(
        self,
        records: int,
        sample: int,
        outside: Sequence[ValueSwap],
        inside: Sequence[ValueSwap],
        stratum: str = "",
        *,
        hidden: bool = False,
    ) -> PkFinding:
        # A sample without a fixed size may be the whole table.
        size = records if self.scheme is Scheme.BERNOULLI else sample
        r1, r2 = prod(swap.outside for swap in outside), prod(swap.inside for swap in inside)
        firm = tuple(name for name, swap in zip(self.transitions, outside, strict=True) if swap.outside == 0)
        return PkFinding(
            k=compute_promised_k(records, size, r1, r2),
            attained=min(compute_attained_k(records, size, outside), compute_attained_k(records, size, inside)),
            r1=r1,
            r2=r2,
            records=records,
            sample=sample,
            stratum=stratum,
            lower_bound=hidden,
            firm=firm,
            gaps=tuple(_find_gaps(records, self.scheme, firm)),
        )


def compute_promised_k(records: int, sample: int, r1: Real, r2: Real) -> Real:
    """Return k = 1 + (n - m) r1 + (m - 1) r2."""
    return 1 + (records - sample) * r1 + (sample - 1) * r2


def compute_attained_k(records: int, sample: int, swaps: Iterable[ValueSwap]) -> Real:
    """Return the k of the proof's table: one person with u, all others with v, released as one c and else e only."""
    pairs = tuple(swaps)
    return compute_promised_k(
        records, sample, prod(swap.outside for swap in pairs), prod(swap.inside for swap in pairs)
    )


def _find_gaps(records: int, scheme: Scheme, firm: Sequence[str]) -> Iterable[GuaranteeGap]:
    if scheme is Scheme.BERNOULLI:
        yield GuaranteeGap.BERNOULLI
    if firm:
        yield GuaranteeGap.FIRM
    if records == 1:
        yield GuaranteeGap.ALONE
