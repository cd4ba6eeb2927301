"""Claims of a certificate that are cheap to check: each is counted or computed again from the published file.

What cannot be settled without the original or without the people who attacked is not claimed here. The hits of an
attack are the gate's word; that they reach the threshold, or do not, is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, isclose, lgamma, log
from pathlib import Path
from typing import ClassVar

import polars as pl

from sekisho.errors import ParameterError, SekishoError
from sekisho.gate.certificate.recount import (
    Check,
    CheckStanding,
    PublishedForm,
    SecretFigures,
    count_least_class,
    count_least_values,
    count_secret,
    count_twins,
    list_hidden_cells,
    measure_farthest,
    settle,
)
from sekisho.gate.outcome import DOUBT
from sekisho.safety.claim import Standing
from sekisho.safety.records.published import say_unknown_classes
from sekisho.safety.rejection import Bound, RejectionRule
from sekisho.utility.records.conditions import Condition, Side
from sekisho.words import Said, join_words

CLOSE = 1e-9
MOST_CLAIMS = 1000
MOST_RECOUNTS = 100
"""So many claims may ask for the published file to be read again."""
LARGEST_FACTORIAL = 1000
LARGEST_DENOMINATOR = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectionClaim:
    """What one attack on a history came to under one bound.

    Attributes:
        normative: whether the threshold is from the rules' own table, which wins over the formula.
        decides: whether the recipe lets this bound decide.
    """

    adversary: str
    claimed: int
    hits: int
    bound: Bound
    p: Fraction
    alpha: Fraction
    threshold: int
    effective: bool
    decides: bool = False
    normative: bool = False
    predicted: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.claimed:
            raise ParameterError(
                "hits", Said("lie between 0 and the {claimed} claimed", claimed=self.claimed), self.hits
            )
        check_chance("p", self.p)
        check_chance("alpha", self.alpha)

    @property
    def subject(self) -> str:
        """What is claimed of."""
        if self.bound is Bound.EXACT:
            return Said("attack of {adversary}, exact bound", adversary=self.adversary)
        return Said("attack of {adversary}, union bound", adversary=self.adversary)

    def check(self, folder: Path) -> Check:
        """Compute the threshold again."""
        del folder
        fewest = RejectionRule(p=self.p, alpha=self.alpha, bound=self.bound).threshold(self.claimed)
        figures = Said(
            "{hits} of {claimed} rightly named, {fewest} refute", hits=self.hits, claimed=self.claimed, fewest=fewest
        )
        if self.threshold != fewest and self.normative:
            finding = Said(
                "the rules' own table says {threshold}, the formula {fewest}", threshold=self.threshold, fewest=fewest
            )
            return Check(subject=self.subject, standing=CheckStanding.NOT_CHECKED, finding=finding)
        right = self.threshold == fewest and self.effective == (self.hits >= fewest)
        if not right:
            figures = Said(
                "{figures}; the certificate says {threshold} and effective: {effective}",
                figures=figures,
                threshold=self.threshold,
                effective=str(self.effective).lower(),
            )
        return settle(self.subject, right=right, finding=figures)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinsClaim:
    """How many pseudonyms publish the very same rows, and how the safety claim H0 stands by that."""

    subject: ClassVar = Said("certificate|people who share their rows")
    published: PublishedForm
    pseudonym: int
    classes: Mapping[str, int]
    p: Fraction
    standing: Standing

    def __post_init__(self) -> None:
        check_chance("p", self.p)

    @property
    def least(self) -> int:
        """The size of the smallest class, which is the worst where H0 holds; 0 where nobody is published."""
        return min((int(size) for size in self.classes if size.isdecimal()), default=0)

    def check(self, folder: Path) -> Check:
        """Count the classes of twins again; H0 holds if 1 / g! <= p^g for each of them."""
        counted = count_twins(self.published.read(folder), self.pseudonym)
        held = all(_is_enough(size, self.p) for size in counted)
        least = min(counted, default=0)
        finding = (
            Said("at least {least} pseudonyms publish the same rows; H0 holds by that", least=least)
            if held
            else Said("at least {least} pseudonyms publish the same rows; H0 is not proven by that", least=least)
        )
        right = {str(size): count for size, count in counted.items()} == dict(self.classes)
        right = right and self.standing is not (Standing.REFUTED if held else Standing.HOLDS)
        if not right:
            finding = Said("{finding}; the certificate says otherwise", finding=finding)
        return settle(self.subject, right=right, finding=finding)


def check_chance(name: str, value: Fraction) -> None:
    """Refuse what is no chance of a test, or one that takes for ever to compute with."""
    if not 0 < value < 1 or value.denominator > LARGEST_DENOMINATOR:
        rule = Said(
            "lie strictly between 0 and 1, with a denominator up to {largest_denominator:,}",
            largest_denominator=LARGEST_DENOMINATOR,
        )
        raise ParameterError(name, rule, str(value))


def _is_enough(size: int, p: Fraction) -> bool:
    if size > LARGEST_FACTORIAL:  # far from equality, so logarithms decide it
        return lgamma(size + 1) + size * log(p) >= 0
    return factorial(size) * p**size >= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskClaim:
    """The mean risk that one adversary of records came to over the test sets."""

    adversary: str
    risks: tuple[float, ...]
    target: float
    refuted: bool

    def __post_init__(self) -> None:
        if not self.risks or not all(0 <= risk <= 1 for risk in self.risks):
            raise ParameterError("risks", Said("be one chance for each test set"), list(self.risks))

    @property
    def subject(self) -> str:
        """What is claimed of."""
        return Said("risk under {adversary}", adversary=self.adversary)

    @property
    def mean(self) -> float:
        """The mean over the test sets."""
        return sum(self.risks) / len(self.risks)

    def check(self, folder: Path) -> Check:
        """Compute the mean again."""
        del folder
        mean = self.mean
        near = isclose(mean, self.target, rel_tol=CLOSE)  # summed in another order
        right = near or self.refuted == (mean >= self.target)
        finding = Said(
            "mean risk {mean:.6f} over {risks} test {risks:set|sets}, the target is {target:g}",
            mean=mean,
            risks=len(self.risks),
            target=self.target,
        )
        return settle(self.subject, right=right, finding=finding)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionClaim:
    """A condition of the round, kept or broken."""

    name: str
    value: float | None = None
    limit: float | None = None
    side: Side = Side.AT_MOST
    met: bool

    @property
    def subject(self) -> str:
        """What is claimed of."""
        return Said("condition {name}", name=self.name)

    def check(self, folder: Path) -> Check:
        """Compare value and limit again."""
        del folder
        condition = Condition(name=self.name, value=self.value, limit=self.limit, side=self.side)
        finding = join_words([self._say_value(), self._say_limit()], ", ", "")
        return settle(self.subject, right=condition.met == self.met, finding=finding)

    def _say_value(self) -> Said:
        return Said("it has no value") if self.value is None else Said("it is {value:.6f}", value=self.value)

    def _say_limit(self) -> Said:
        if self.limit is None:
            return Said("there is no limit")
        if self.side is Side.AT_MOST:
            return Said("at most {limit:g} is asked for", limit=self.limit)
        return Said("at least {limit:g} is asked for", limit=self.limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassesClaim:
    """The classes of equal keys among records: the smallest, and its sensitive values.

    Attributes:
        keys: the places of the keys, from 0.
        k: the size of the smallest class.
        sensitive: the place of a sensitive column; None where there is none.
        values: l, the fewest distinct known sensitive values of a class; None where no class has one.
        distance: t, how far the known sensitive values of a class lie from all at most, with equal distances.
        unknown: how many classes have no known sensitive value; None in a certificate made before these were told,
            which counts a missing cell as a value of its own.
        required_k: what the recipe asks for; None if nothing.
        required_values: likewise.
        required_distance: likewise.
    """

    subject: ClassVar = Said("certificate|classes of equal keys")
    published: PublishedForm
    keys: tuple[int, ...]
    k: int
    sensitive: int | None = None
    values: int | None = None
    distance: float | None = None
    unknown: int | None = None
    required_k: int | None = None
    required_values: int | None = None
    required_distance: float | None = None

    def __post_init__(self) -> None:
        if self.sensitive is None:
            for name in ("values", "distance", "unknown", "required_values", "required_distance"):
                if getattr(self, name) is not None:
                    raise ParameterError(name, Said("not be given without a sensitive column"), getattr(self, name))

    def check(self, folder: Path) -> Check:
        """Count k, l and t again."""
        if not self.keys:
            return settle(self.subject, right=False, finding=Said("it names no keys"))
        frame = self.published.read(folder)
        parts: list[str] = [Said("k is {k}", k=(k := count_least_class(frame, self.keys)))]
        right = k == self.k
        if self.sensitive is not None:
            figures = self._count_secret(frame, self.sensitive)
            parts.extend(_list_figures(figures))
            right &= (figures.values, figures.unknown) == (self.values, self.unknown)
            right &= (figures.distance is None) == (self.distance is None)
            if figures.distance is not None and self.distance is not None:
                right &= isclose(figures.distance, self.distance, rel_tol=CLOSE, abs_tol=CLOSE)
        finding = join_words(parts, ", ")
        if not right:
            finding = Said(
                "{finding}; the certificate says k {k}, l {values}, t {distance}",
                finding=finding,
                k=self.k,
                values=self.values,
                distance=self.distance,
            )
        return settle(self.subject, right=right, finding=finding)

    def _count_secret(self, frame: pl.DataFrame, sensitive: int) -> SecretFigures:
        """Return what the classes tell about the sensitive column, counted as this certificate counts."""
        asked = self.distance is not None
        if self.unknown is not None:
            return count_secret(frame, self.keys, sensitive, distance=asked)
        return SecretFigures(
            values=None if self.values is None else count_least_values(frame, self.keys, sensitive),
            distance=measure_farthest(frame, self.keys, sensitive) if asked else None,
        )

    @property
    def kept(self) -> bool:
        """Whether what the recipe requires is kept by these figures; where no value is known nothing is learnt."""
        if self.values is None and self.distance is None and self.unknown:
            return self.required_k is None or self.k >= self.required_k
        return (
            (self.required_k is None or self.k >= self.required_k)
            and (self.required_values is None or (self.values is not None and self.values >= self.required_values))
            and (
                self.required_distance is None
                or (self.distance is not None and self.distance <= self.required_distance + CLOSE)
            )
        )


def _list_figures(figures: SecretFigures) -> Iterator[str]:
    """Give in words what was counted of a sensitive column."""
    if figures.values is not None:
        yield Said("l is {distinct}", distinct=figures.values)
        if figures.unknown is None:
            yield Said("a missing cell counts as a value, as the certificate says it")
    if figures.distance is not None:
        yield Said("t is {farthest:.6f}", farthest=figures.distance)
    if figures.unknown:
        yield say_unknown_classes(figures.unknown)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternClaim:
    """How many cells of a published table are hidden; the proof itself holds true values and stays confidential.

    Attributes:
        table: which of several tables that leave together it is, as the proof calls it; None where there is one.
    """

    subject: ClassVar = Said("certificate|hidden cells")
    published: PublishedForm
    dims: tuple[int, ...]
    value: int
    mark: str
    cells: int
    hidden: int
    table: str | None = None

    def check(self, folder: Path) -> Check:
        """Count the hidden cells again."""
        cells, hidden = list_hidden_cells(self.published.read(folder), self.dims, self.value, self.mark)
        right = (len(cells), hidden) == (self.cells, self.hidden)
        finding = Said("{hidden} of {cells} {cells:cell|cells} {hidden:is|are} hidden", hidden=hidden, cells=len(cells))
        if not right:
            finding = Said(
                "{finding}; the certificate says {hidden} of {cells}",
                finding=finding,
                hidden=self.hidden,
                cells=self.cells,
            )
        return settle(self.subject, right=right, finding=finding)


Claim = RejectionClaim | TwinsClaim | RiskClaim | ConditionClaim | ClassesClaim | PatternClaim


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """All that a certificate claims and anybody checks."""

    rejections: tuple[RejectionClaim, ...] = ()
    twins: tuple[TwinsClaim, ...] = ()
    risks: tuple[RiskClaim, ...] = ()
    conditions: tuple[ConditionClaim, ...] = ()
    classes: tuple[ClassesClaim, ...] = ()
    patterns: tuple[PatternClaim, ...] = ()

    def __post_init__(self) -> None:
        if (count := len(list(self))) > MOST_CLAIMS:
            raise ParameterError("claims", Said("be at most {most_claims:,}", most_claims=MOST_CLAIMS), count)
        if (count := len(list(self.of_files))) > MOST_RECOUNTS:
            raise ParameterError(
                "claims", Said("speak of a file at most {most_recounts:,} times", most_recounts=MOST_RECOUNTS), count
            )

    def __iter__(self) -> Iterator[Claim]:
        yield from self.rejections
        yield from self.twins
        yield from self.risks
        yield from self.conditions
        yield from self.classes
        yield from self.patterns

    @property
    def of_files(self) -> Iterator[TwinsClaim | ClassesClaim | PatternClaim]:
        """The claims that are counted again in a published file."""
        yield from self.twins
        yield from self.classes
        yield from self.patterns

    def check(self, folder: Path) -> Iterator[Check]:
        """Check every claim; one whose file cannot be read is not confirmed."""
        for claim in self:
            try:
                yield claim.check(folder)
            except SekishoError as error:
                yield settle(claim.subject, right=False, finding=str(error))

    def list_broken_rules(self) -> Iterator[str]:
        """Return the names of the gate's rules that these figures break."""
        refuting = {each.adversary for each in self.rejections if each.effective and each.decides}
        if refuting:
            yield "effective attack"
        exact = {each.adversary for each in self.rejections if each.effective and each.bound is Bound.EXACT}
        if exact - refuting:
            yield "effective under the exact bound"
        doubtful = {each.adversary for each in self.rejections if (each.predicted or 0) > DOUBT}
        if doubtful - refuting - exact:
            yield "predicted chance"
        if any(each.refuted for each in self.risks):
            yield "risk above target"
        if any(not each.met for each in self.conditions):
            yield "condition broken"
        if any(not each.kept for each in self.classes):
            yield "guarantee broken"
