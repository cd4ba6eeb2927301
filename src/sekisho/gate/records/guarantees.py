"""What must hold of a release of keyed records, as a recipe names it.

::

    [guarantees]
    k = 5                    # every class of equal keys has k records
    l = 2                    # … and l well-represented values of each sensitive column
    l_kind = "entropy"       # distinct, entropy or recursive (with c = 3.0)
    t = 0.3                  # … spread within t of the whole; t_distance = "equal" or "ordered"
    beta = 1.0               # beta-likeness
    delta = 1.5              # delta-disclosure
    highest = 0.2            # no record is found by a prosecutor with a higher chance,
    average = 0.05           # … and on average no larger share of them
    population = "all.csv"   # the file of a population with the same keys, for
    k_map = 5                # every record fits so many of its people
    presence = [0.0, 0.5]    # the chance to be in the release lies between
    leave_out = 0.1          # so large a share of the records may be left out, in whole classes, that l holds
    individual = 0.1         # beside weights: no record has a higher risk under the model of Benedetti and Franconi

A guarantee that every release keeps is none: k, l and k_map below 2, t, highest and individual of 1 are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import numpy as np

from sekisho.data.frame.release import Release
from sekisho.data.frame.schema import Schema
from sekisho.errors import ParameterError
from sekisho.protect.records.pram import PramRelease
from sekisho.protect.records.sample import SampleRelease
from sekisho.safety import Guarantee
from sekisho.safety.records.anonymity import KAnonymity
from sekisho.safety.records.closeness import Distance, TCloseness
from sekisho.safety.records.diversity import Diversity, LDiversity
from sekisho.safety.records.likeness import BetaLikeness, DeltaDisclosure
from sekisho.safety.records.presence import DeltaPresence, KMap
from sekisho.safety.records.reidentification import ProsecutorRisk
from sekisho.words import Said

POPULATION = Said("the population file holds everybody whom the adversary thinks possible")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordGuarantees:
    """What must hold of a release of keyed records; what is None or empty is not asked for.

    Attributes:
        k: the least size of a class of equal keys.
        least_l: the least diversity of a sensitive column in a class; ``l`` in a recipe.
        l_kind: what diverse means.
        c: of recursive diversity.
        t: the largest distance of a class's sensitive values from the whole.
        t_distance: how far two values are apart; in their order for numbers, else all equally far, if not given.
        beta: the largest relative gain of a sensitive value.
        delta: of delta-disclosure.
        highest: the highest chance with which a prosecutor may find a record.
        average: the largest share of records that he may find.
        k_map: the least number of people of the population whom a record fits.
        presence: the least and the largest chance to be in the release.
        population: the file of the population.
        individual: the highest individual risk of a record whose weights are known.
        leave_out: the largest share of the records that may be left out so that the diversity holds of every sensitive
            column, where a method could heed but one.
    """

    k: int | None = None
    least_l: float | None = field(default=None, metadata={"option": "--l"})
    l_kind: Diversity = Diversity.DISTINCT
    c: float = 3.0
    t: float | None = None
    t_distance: Distance | None = None
    beta: float | None = None
    delta: float | None = None
    highest: float | None = None
    average: float | None = None
    k_map: int | None = None
    presence: tuple[float, ...] = ()
    population: str = ""
    individual: float | None = None
    leave_out: float = 0.0

    def __post_init__(self) -> None:
        self._make("key", ("sensitive",), None)
        if self.presence and len(self.presence) != 2:
            raise ParameterError("presence", Said("be [low, high]"), list(self.presence))
        if self.presence == (0, 1):
            raise ParameterError("presence", Said("ask for something: every release lies between 0 and 1"), [0, 1])
        if (self.k_map is not None or self.presence) and not self.population:
            raise ParameterError("population", Said("be given for k_map and presence"), self.population)
        if self.individual is not None and not 0 < self.individual < 1:
            raise ParameterError("individual", Said("lie above 0 and below 1"), self.individual)
        if not 0 <= self.leave_out < 1:
            raise ParameterError("leave_out", Said("lie between 0 and 1, 1 excluded"), self.leave_out)
        if self.leave_out and self.t is not None:
            rule = Said("be 0 beside t: leaving records out changes the shares that t compares with")
            raise ParameterError("leave_out", rule, self.leave_out)
        if self.t_distance is Distance.HIERARCHICAL:
            raise ParameterError("t_distance", Said("be equal or ordered"), self.t_distance)

    @property
    def asked(self) -> bool:
        """Whether anything must hold."""
        return replace(self, leave_out=0.0) != RecordGuarantees()

    def tell(self) -> dict[str, object]:
        """Return what is asked for, by the names that a recipe has for it; of a file its name."""
        usual = RecordGuarantees()
        told = {item.name: getattr(self, item.name) for item in fields(self)}
        asked = {name: value for name, value in told.items() if value != getattr(usual, name)}
        if self.population:
            asked["population"] = Path(self.population).name
        return {"l" if name == "least_l" else name: value for name, value in asked.items()}

    @property
    def of_sensitive(self) -> tuple[str, ...]:
        """The names of what speaks of sensitive columns, as a recipe has them."""
        named = {"l": self.least_l, "t": self.t, "beta": self.beta, "delta": self.delta}
        return tuple(name for name, value in named.items() if value is not None)

    def make(self, schema: Schema, keys: tuple[str, ...], sensitive: tuple[str, ...]) -> dict[str, Guarantee]:
        """Return what must hold, by name; what speaks of sensitive columns, of each."""
        return self._make(keys, sensitive, schema)

    def leave_out_classes(self, release: Release, guarantees: Mapping[str, Guarantee]) -> Release:
        """Return a release without the classes that are not diverse enough, if no more records stand in them than may.

        Whole classes go, so that k and the diversity of all others stay what they are. Releases that chance made stay
        as they are: what was drawn must not be chosen from afterwards.
        """
        if not self.leave_out or isinstance(release, PramRelease | SampleRelease) or bool(release.deleted.all()):
            return release
        broken = np.zeros(len(release.deleted), dtype=np.bool_)
        for one in guarantees.values():
            if isinstance(one, LDiversity):
                broken |= one.find_broken(release)
        gone = release.deleted | broken
        if not broken.any() or int(broken.sum()) > self.leave_out * len(gone) or bool(gone.all()):
            return release
        return replace(release, deleted=gone, detail={**release.detail, "left_out": int(broken.sum())})

    def _make(
        self, keys: tuple[str, ...] | str, sensitive: tuple[str, ...], schema: Schema | None
    ) -> dict[str, Guarantee]:
        names = (keys,) if isinstance(keys, str) else keys
        made: dict[str, Guarantee] = {}
        if self.k is not None:
            made["k-anonymity"] = KAnonymity(k=self.k, keys=names)
        for column in sensitive:
            made |= {f"{name} of {column}": one for name, one in self._make_sensitive(names, column, schema).items()}
        if self.highest is not None or self.average is not None:
            made["prosecutor-risk"] = ProsecutorRisk(
                highest=1.0 if self.highest is None else self.highest,
                average=1.0 if self.average is None else self.average,
                keys=names,
            )
        if self.k_map is not None and self.population:
            made["k-map"] = KMap(k=self.k_map, keys=names, population=Path(self.population))
        if len(self.presence) == 2 and self.population:
            low, high = self.presence
            made["delta-presence"] = DeltaPresence(low=low, high=high, keys=names, population=Path(self.population))
        return made

    def _make_sensitive(self, keys: tuple[str, ...], column: str, schema: Schema | None) -> Mapping[str, Guarantee]:
        made: dict[str, Guarantee] = {}
        if self.least_l is not None:
            made["l-diversity"] = LDiversity(
                least=self.least_l, kind=self.l_kind, c=self.c, keys=keys, sensitive=column
            )
        if self.t is not None:
            made["t-closeness"] = TCloseness(
                t=self.t, distance=self._choose_distance(column, schema), keys=keys, sensitive=column
            )
        if self.beta is not None:
            made["beta-likeness"] = BetaLikeness(beta=self.beta, keys=keys, sensitive=column)
        if self.delta is not None:
            made["delta-disclosure"] = DeltaDisclosure(delta=self.delta, keys=keys, sensitive=column)
        return made

    def _choose_distance(self, column: str, schema: Schema | None) -> Distance:
        if self.t_distance is not None:
            return self.t_distance
        return Distance.ORDERED if schema is not None and schema[column].kind.numeric else Distance.EQUAL
