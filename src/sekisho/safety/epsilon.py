"""Epsilon beside k and Pk: how much more likely a release can be for one record than for another in its place.

Against whom: one who knows every other record, the matrices and the sizes. Two files that differ in one record give the
same release with chances that differ by at most the factor e^epsilon (local differential privacy, one record replaced).
For a matrix A

    e^epsilon = max over u, v, c  A[u, c] / A[v, c] = 1 / r1,

products over columns that are changed independently of one another. Shuffling changes nothing, nor does drawing each
record by its own coin (all may come out). Drawing m of n without replacement gives 1 + (m/n)(e^epsilon - 1). Laplace
noise of scale b on a column whose values lie within a **public** width w gives e^(w/b). What shows values as they are,
codes, swaps, suppresses or averages them has an infinite epsilon: a word, not a large number.

Everything holds given what is taken as public, which is said beside it: how many records there are and which values a
column can have; the shares of a column from which an invariant matrix is made; the stratum of every person.

k bounds epsilon and does not tell it: :func:`bound_epsilon` gives both ends, and there is nothing that computes epsilon
from k. Sampling with replacement is refused: (1 + (e^epsilon - 1)/n)^m is worse than no sampling.

Source: Dwork, McSherry, Nissim, Smith, TCC 2006; Balle, Barthe, Gaboardi, NeurIPS 2018 (sampling); Balle, Wang, ICML
2018 (normal noise); docs/proofs/epsilon.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import erfc, exp, inf, log, log1p, sqrt
from typing import Protocol, runtime_checkable

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.safety.sampling import Scheme, Stratum, check_scheme, check_sizes
from sekisho.safety.transition import Real, Transition
from sekisho.words import Said, join_words

INFINITE = "infinite"
EPSILON_KEYS = ("epsilon", "epsilon_exact", "epsilon_per_column", "delta", "given")
"""What a release tells of it, as plain data."""
MOST_POWER = 700
"""Above it e^power is no float; the figure is then written by its power alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpsilonOdds:
    """e^epsilon, exactly: a number times a power of e, or without end.

    Attributes:
        ratio: the fraction under the logarithm, at least 1; a float where a matrix is one of floats; None if infinite.
        power: of e, from Laplace noise.
    """

    ratio: Real | None
    power: Fraction = Fraction(0)

    @property
    def infinite(self) -> bool:
        """Tell whether some release is possible for one record and impossible for another."""
        return self.ratio is None

    @property
    def epsilon(self) -> float:
        """The logarithm, in nats."""
        if self.ratio is None:
            return inf
        excess = self.ratio - 1
        if excess < 1:
            return log1p(float(excess)) + float(self.power)
        ratio = Fraction(self.ratio)
        return log(ratio.numerator) - log(ratio.denominator) + float(self.power)

    @property
    def figure(self) -> float | str:
        """Epsilon as plain data: a number, or the word."""
        return INFINITE if self.infinite else self.epsilon

    @property
    def written(self) -> str | None:
        """e^epsilon as it is exactly, such as ``7/3`` or ``exp(5/2)``; None where a matrix is one of floats."""
        if self.ratio is None:
            return INFINITE
        if isinstance(self.ratio, float):
            return None
        parts = [] if self.ratio == 1 and self.power else [str(self.ratio)]
        return " * ".join([*parts, *([f"exp({self.power})"] if self.power else [])])

    def times(self, other: EpsilonOdds) -> EpsilonOdds:
        """Return the odds of both together: epsilons add."""
        if self.ratio is None or other.ratio is None:
            return NO_BOUND
        return EpsilonOdds(ratio=self.ratio * other.ratio, power=self.power + other.power)

    def draw(self, share: Fraction) -> EpsilonOdds:
        """Return the odds after drawing that share of the records without replacement: 1 + share (e^epsilon - 1).

        Raises:
            ParameterError: of noise on numbers, whose odds are no fraction, a part is drawn.
        """
        if self.ratio is None or share == 1:
            return self
        if self.power:
            raise ParameterError("sample", Said("be the whole file where numbers get noise"), str(share))
        return EpsilonOdds(ratio=1 + share * (self.ratio - 1))


NO_BOUND = EpsilonOdds(ratio=None)
NOTHING_LOST = EpsilonOdds(ratio=Fraction(1))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class EpsilonFinding:
    """What one release, or one way to make it, says about one record.

    Attributes:
        odds: e^epsilon of the whole.
        columns: e^epsilon of each column by itself, before records are drawn.
        delta: 0 where epsilon is finite; else the delta that drawing leaves at epsilon 0; None where nothing is said.
        given: what is taken as public; without it epsilon is infinite.
    """

    odds: EpsilonOdds
    columns: Mapping[str, EpsilonOdds] = field(default_factory=dict[str, EpsilonOdds])
    delta: Fraction | None = None
    given: tuple[Said, ...] = ()

    @property
    def epsilon(self) -> float:
        """Epsilon in nats, ``inf`` if it is infinite."""
        return self.odds.epsilon

    @property
    def unbounded(self) -> tuple[str, ...]:
        """The columns that make epsilon infinite."""
        return tuple(name for name, odds in self.columns.items() if odds.infinite)

    @property
    def bounded(self) -> dict[str, EpsilonOdds]:
        """The columns whose epsilon is finite, whatever the others show."""
        return {name: odds for name, odds in self.columns.items() if not odds.infinite}

    @property
    def bounded_odds(self) -> EpsilonOdds:
        """What the columns whose epsilon is finite say together."""
        return reduce(EpsilonOdds.times, self.bounded.values(), NOTHING_LOST)

    def to_dict(self) -> dict[str, object]:
        """Return the finding as plain data; infinite is a word."""
        return {
            "epsilon": self.odds.figure,
            "epsilon_exact": self.odds.written,
            "epsilon_per_column": {name: odds.figure for name, odds in self.columns.items()},
            "delta": None if self.delta is None else float(self.delta),
            "given": list(self.given),
        }

    def describe(self) -> Said:
        """Return the finding as a sentence."""
        if not self.odds.infinite:
            return Said(
                "epsilon = {epsilon:.4f} (one record replaced by another; e^epsilon = {exact}), given {given}",
                epsilon=self.epsilon,
                exact=write_odds(self.odds),
                given=join_words(self.given, "; "),
            )
        if self.delta is not None:
            return Said(
                "epsilon is infinite: whoever is drawn may be shown as nobody else could be (delta = {delta:.6g} at "
                "epsilon 0)",
                delta=float(self.delta),
            )
        if self.unbounded:
            return Said(
                "epsilon is infinite: {columns} can show what another value never shows",
                columns=", ".join(self.unbounded),
            )
        return Said("epsilon is infinite: what is released can show what another record never shows")


@runtime_checkable
class StatesEpsilon(Protocol):
    """A release whose method says something about one record; of any other epsilon is infinite."""

    @property
    def epsilon(self) -> EpsilonFinding:
        """What it says."""
        ...


def write_odds(odds: EpsilonOdds) -> str:
    """Return e^epsilon for people: as a number, as a power of e where it is beyond numbers."""
    epsilon = odds.epsilon
    return f"{exp(epsilon):.6g}" if epsilon < MOST_POWER else f"exp({epsilon:.6g})"


def measure_pram(
    transitions: Mapping[str, Transition],
    strata: Sequence[Stratum],
    *,
    scheme: Scheme = Scheme.FIXED,
    stratum: str = "",
    from_data: Sequence[str] = (),
) -> EpsilonFinding:
    """Return what PRAM, then sampling of fixed size from each part, then a shuffle, says about a record.

    Args:
        transitions: each column's change; one that is released as it is has retention 1.
        strata: the parts that are drawn from; one without a name for the whole file.
        scheme: how they are drawn; by single coins drawing gains nothing.
        stratum: the column of the strata, empty if there is none.
        from_data: columns whose matrix was made from the data's own shares.
    """
    columns = {name: _measure_transition(transition) for name, transition in transitions.items()}
    whole = combine(columns.values())
    share = find_share(strata, scheme)
    drawn = whole if scheme is Scheme.BERNOULLI else whole.draw(share)
    delta = None if share == 1 else share
    if drawn.infinite and delta is None:
        return EpsilonFinding(odds=drawn, columns=columns)
    sizes = Said("how many records there are")
    given = [sizes if drawn.infinite else Said("how many records there are, and which values each column can have")]
    if from_data and not drawn.infinite:
        given.append(
            Said("the shares of the values of {columns}, of which the matrix is made", columns=", ".join(from_data))
        )
    if stratum:
        given.append(Said("the value of {column} of every person, by which records are drawn", column=stratum))
    return EpsilonFinding(
        odds=drawn, columns=columns, delta=delta if drawn.infinite else Fraction(0), given=tuple(given)
    )


def measure_sample(strata: Sequence[Stratum], *, scheme: Scheme = Scheme.FIXED) -> EpsilonFinding:
    """Return what a sample of records as they are says about a record: epsilon is infinite, delta the share drawn."""
    share = find_share(strata, scheme)
    given = (Said("how many records there are"),)
    return EpsilonFinding(odds=NO_BOUND, delta=None if share == 1 else share, given=() if share == 1 else given)


def find_share(strata: Sequence[Stratum], scheme: Scheme = Scheme.FIXED) -> Fraction:
    """Return the largest share that is drawn of any part."""
    check_scheme(scheme)
    drawn = [part for part in strata if part.sample]
    if not drawn:
        raise ParameterError("strata", Said("draw at least one record"), [part.name for part in strata])
    return max(Fraction(part.sample, part.records) for part in drawn)


def _measure_transition(transition: Transition) -> EpsilonOdds:
    outside = transition.find_hardest()[0].outside
    if outside == 0:
        return NO_BOUND
    return EpsilonOdds(ratio=1 / (Fraction(outside) if isinstance(outside, int) else outside))


def combine(odds: Iterable[EpsilonOdds]) -> EpsilonOdds:
    """Return the odds of columns that are changed independently, or of several releases of the same people."""
    return reduce(EpsilonOdds.times, odds, NOTHING_LOST)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceColumn:
    """Laplace noise on a column of numbers.

    Attributes:
        scale: b of the noise, of density exp(-|x|/b) / 2b.
        width: w, how far apart two values can lie by what is public; None if nothing public bounds them.
        cut: whether the change is cut to a largest one, so that values farther away are excluded.
    """

    scale: Fraction
    width: Fraction | None
    cut: bool = False

    def __post_init__(self) -> None:
        if self.scale <= 0:
            raise ParameterError("scale", Said("be above 0"), str(self.scale))
        if self.width is not None and self.width < 0:
            raise ParameterError("width", Said("be at least 0"), str(self.width))

    @property
    def odds(self) -> EpsilonOdds:
        """e^(w/b); infinite where the width is not public or the change is cut."""
        if self.width is None or (self.cut and self.width > 0):
            return NO_BOUND
        return EpsilonOdds(ratio=Fraction(1), power=self.width / self.scale)


def measure_noise(
    noisy: Mapping[str, LaplaceColumn], others: Sequence[str] = (), gaps: Sequence[str] = ()
) -> EpsilonFinding:
    """Return what Laplace noise says about a record, all of whose other columns are released otherwise.

    Args:
        noisy: the columns with noise.
        others: all other columns that are released: as they are, or with noise whose size the data decide.
        gaps: columns with noise in which missing cells stay missing.
    """
    columns = {name: column.odds for name, column in noisy.items()} | dict.fromkeys(others, NO_BOUND)
    bounded = [name for name in noisy if not columns[name].infinite]
    given = [
        *([Said("the bounds of {columns}", columns=", ".join(bounded))] if bounded else []),
        *([Said("which cells of {columns} are missing", columns=", ".join(gaps))] if gaps else []),
    ]
    odds = combine(columns.values())
    return EpsilonFinding(odds=odds, columns=columns, delta=None if odds.infinite else Fraction(0), given=tuple(given))


def compute_normal_delta(epsilon: float, *, width: float, deviation: float) -> float:
    """Return the least delta of normal noise at an epsilon, where width and deviation are public.

    delta = Phi(w/2s - epsilon s/w) - e^epsilon Phi(-w/2s - epsilon s/w). No finite epsilon has delta 0. Where the
    deviation is taken from the data, as that of correlated noise is, nothing can be said.
    """
    if not (width > 0 and deviation > 0 and epsilon >= 0):
        raise ParameterError(
            "width", Said("be above 0, as the deviation, and epsilon at least 0"), (width, deviation, epsilon)
        )
    half, step = width / (2 * deviation), epsilon * deviation / width
    far = half + step
    tail = exp(epsilon) * _normal(-far) if epsilon < MOST_POWER else 0.0
    return max(0.0, _normal(half - step) - tail)


def _normal(value: float) -> float:
    return erfc(-value / sqrt(2)) / 2


def bound_epsilon(k: Real, *, records: int, sample: int | None = None) -> tuple[float, float]:
    """Return between which figures the epsilon of PRAM lies, before drawing, if k is just kept; k does not tell it.

    PRAM alone: r2 = (k-1)/(n-1) and r1^2 <= r2 <= r1. With a sample (k-1)/(n-1) <= e^-epsilon <= the positive root of
    (m-1)x^2 + (n-m)x = k-1.

    Raises:
        ParameterError: k is not above 1 and at most n.
    """
    size = records if sample is None else sample
    check_sizes(records, size)
    if not 1 < k <= records:
        raise ParameterError("k", Said("lie above 1 and be at most {records}", records=records), str(k))
    most = log(records - 1) - log(k - 1)
    inside, outside, wanted = size - 1, records - size, float(k - 1)
    root = 2 * wanted / (outside + sqrt(outside * outside + 4 * inside * wanted))
    return max(0.0, -log(root)), most
