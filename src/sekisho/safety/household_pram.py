"""PRAM where people live together: what a household shares is changed once for all its members.

Changed person by person, a shared value comes out in as many independent copies as there are members, and their
majority undoes the change: epsilon counts once for each copy. Changed once, it counts once. But then the rows of a
household are no longer changed independently of one another, and may be linked by what they share. So the unit is the
household:

- *Pk*. Grant the adversary who links the rows of every household. Households of s members are then records by
  themselves, changed independently of one another and shuffled, so the theorem of Pk-anonymity holds for the N_s of
  them with r2 = product over shared columns of r2 times product over the others of r2^s: k_s = 1 + (N_s - 1) r2. No
  person is tied to a row with a chance above that of his household to its rows, 1/k_s; without the links it is no more.
  The promise is the least k_s.
- *epsilon*. One household replaced by another of as many members: e^epsilon = product over shared columns of e^epsilon
  times product over the others of e^(s epsilon), of the largest s. One person's own values replaced move less.

Source: docs/proofs/households.md; the theorem: Kikuchi, "How much can the sampling reduce the identification risk?",
theorem 5.1, with m = n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.epsilon import EpsilonFinding, measure_pram
from sekisho.safety.planner import STEPS, PramPlanner
from sekisho.safety.pram import PkAnonymity, PkFinding
from sekisho.safety.sampling import Stratum
from sekisho.safety.transition import Transition
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseholdUnits:
    """Households as units of chance.

    Attributes:
        shared: the columns that are changed once a household.
        sizes: how many households have so many members.
    """

    shared: tuple[str, ...]
    sizes: Mapping[int, int]

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < 1:
            raise ParameterError("sizes", Said("be of one member or more"), dict(self.sizes))

    def list_transitions(self, transitions: Mapping[str, Transition], members: int) -> dict[str, Transition]:
        """Return the changes of a household of so many members: shared ones once, the others once a member."""
        once = {name: each for name, each in transitions.items() if name in self.shared}
        own = [(name, each) for name, each in transitions.items() if name not in self.shared]
        return once | {f"{place}:{name}": each for place in range(members) for name, each in own}

    def check(self, transitions: Mapping[str, Transition]) -> PkFinding:
        """Return what is promised for the households that are hidden worst."""
        findings = [self._check_size(transitions, members) for members in sorted(self.sizes)]
        return min(findings, key=lambda finding: finding.k)

    def _check_size(self, transitions: Mapping[str, Transition], members: int) -> PkFinding:
        finding = PkAnonymity(transitions=self.list_transitions(transitions, members)).check(
            records=self.sizes[members]
        )
        firm = tuple(dict.fromkeys(name.rpartition(":")[2] for name in finding.firm))
        return replace(finding, stratum=Said("households of {members}", members=members), lower_bound=True, firm=firm)

    def measure_epsilon(self, transitions: Mapping[str, Transition], *, from_data: Sequence[str]) -> EpsilonFinding:
        """Return what the release says about one household."""
        largest, people = max(self.sizes), sum(members * count for members, count in self.sizes.items())
        everybody = (Stratum(name="", records=people, sample=people),)
        single = measure_pram(transitions, everybody, from_data=from_data)
        whole = measure_pram(self.list_transitions(transitions, largest), everybody, from_data=from_data)
        if whole.odds.infinite:
            return single
        given = Said(
            "who lives together: what {shared} tell is changed once a household, and a household of {members} is "
            "replaced by another",
            shared=", ".join(self.shared),
            members=largest,
        )
        return replace(single, odds=whole.odds, given=(*single.given, given))

    def find_retention(self, planner: PramPlanner, k: Fraction) -> Fraction:
        """Return the largest retention, in millionths, that keeps k in households of every size.

        Raises:
            InfeasibleError: none does, however few households there are of a size.
        """
        low, high = 0, STEPS
        while low < high:
            middle = (low + high + 1) // 2
            keeps = self.check(planner.transitions(Fraction(middle, STEPS))).k >= k
            low, high = (middle, high) if keeps else (low, middle - 1)
        fewest = min(self.sizes, key=lambda members: self.sizes[members])
        if low == 0 and self.check(planner.transitions(Fraction(0))).k < k:
            raise InfeasibleError(
                Said(
                    "no retention keeps k at {k:g}: there are {count:,} households of {members}",
                    k=float(k),
                    count=self.sizes[fewest],
                    members=fewest,
                )
            )
        return Fraction(low, STEPS)
