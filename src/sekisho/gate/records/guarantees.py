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

These keys are those that the guarantees of :data:`sekisho.safety.GUARANTEES` declare for their parameters; any of them,
and a stranger's too, can be asked for by its name with all its parameters, keys and sensitive columns apart::

    [guarantees.population-uniqueness]
    share = 0.01             # at most so much of the population is unique, as a model estimates
    people = 100_000

A guarantee that every release keeps is none: k, l and k_map below 2, t, highest and individual of 1 are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np

from sekisho.data.files.settings import build_settings
from sekisho.data.frame.dataset import Kind, Schema
from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.errors import Fault, InfeasibleError, ParameterError, SettingsError, shorten
from sekisho.gate.certificate.claims import ClassesClaim
from sekisho.gate.certificate.recount import PublishedForm, SecretFigures
from sekisho.gate.names import name_guarantee
from sekisho.gate.outcome import Reason
from sekisho.gate.policy import make_reason
from sekisho.gate.recipes.lenient import build_leniently
from sekisho.protect.records.drawn_release import DrawnRelease
from sekisho.safety import GUARANTEES, Guarantee
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.anonymity import KAnonymity
from sekisho.safety.records.closeness import Distance, TCloseness
from sekisho.safety.records.diversity import Diversity, LDiversity
from sekisho.safety.records.presence import DeltaPresence, KMap
from sekisho.words import Said

FIRST = "k-anonymity"
"""Told before all others."""
COLUMNS = ("keys", "sensitive")
"""Parameters that the recipe says for all guarantees at once."""
OWN = ("individual", "leave_out")
"""Keys that are no guarantee's parameter."""
FILE = "population"

Parameters: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordGuarantees:
    """What must hold of a release of keyed records; what is None or not there is not asked for.

    Attributes:
        wanted: by name of a guarantee the parameters that are given for it.
        individual: the highest individual risk of a record whose weights are known.
        leave_out: the largest share of the records that may be left out so that the diversity holds of every sensitive
            column, where a method could heed but one.
    """

    wanted: Mapping[str, Parameters] = field(default_factory=dict[str, Parameters])
    individual: float | None = None
    leave_out: float = 0.0

    def __post_init__(self) -> None:
        for name, parameters in self.wanted.items():
            guarantee = _make(name, parameters)
            if isinstance(guarantee, DeltaPresence) and (guarantee.low, guarantee.high) == (0, 1):
                raise ParameterError("presence", Said("ask for something: every release lies between 0 and 1"), [0, 1])
            if isinstance(guarantee, DeltaPresence | KMap) and guarantee.population is None:
                raise ParameterError("population", Said("be given for k_map and presence"), "")
        if self.individual is not None and not 0 < self.individual < 1:
            raise ParameterError("individual", Said("lie above 0 and below 1"), self.individual)
        if not 0 <= self.leave_out < 1:
            raise ParameterError("leave_out", Said("lie between 0 and 1, 1 excluded"), self.leave_out)
        if self.leave_out and self.t is not None:
            rule = Said("be 0 beside t: leaving records out changes the shares that t compares with")
            raise ParameterError("leave_out", rule, self.leave_out)

    def _find(self, name: str) -> Guarantee | None:
        """Return a guarantee that is asked for, of no columns yet."""
        return _make(name, self.wanted[name]) if name in self.wanted else None

    @property
    def k(self) -> int | None:
        """The least size of a class of equal keys."""
        guarantee = self._find("k-anonymity")
        return guarantee.k if isinstance(guarantee, KAnonymity) else None

    @property
    def diversity(self) -> LDiversity | None:
        """What is asked of the diversity of sensitive columns."""
        guarantee = self._find("l-diversity")
        return guarantee if isinstance(guarantee, LDiversity) else None

    @property
    def l(self) -> float | None:
        """The least diversity of a sensitive column in a class."""
        return None if self.diversity is None else self.diversity.l

    @property
    def l_kind(self) -> Diversity:
        """What diverse means."""
        return Diversity.DISTINCT if self.diversity is None else self.diversity.kind

    @property
    def c(self) -> float:
        """Of recursive diversity."""
        return LDiversity().c if self.diversity is None else self.diversity.c

    @property
    def t(self) -> float | None:
        """The largest distance of a class's sensitive values from the whole."""
        guarantee = self._find("t-closeness")
        return guarantee.t if isinstance(guarantee, TCloseness) else None

    @property
    def t_distance(self) -> Distance | None:
        """How far two values are apart; None if it is not said: in their order for numbers, else all equally far."""
        said = self.wanted.get("t-closeness", {}).get("distance")
        return said if isinstance(said, Distance) else None

    @property
    def asked(self) -> bool:
        """Whether anything must hold."""
        return bool(self.wanted) or self.individual is not None

    def tell(self, *, whole: bool = False) -> dict[str, object]:
        """Return what is asked for, by a recipe's own names; of a file its name, or its ``whole`` path."""
        told: dict[str, object] = {}
        for name, parameters in self.wanted.items():
            told |= _tell(name, parameters)
        if isinstance(told.get(FILE), Path):
            told[FILE] = str(told[FILE]) if whole else Path(str(told[FILE])).name
        own = {"individual": self.individual, "leave_out": self.leave_out or None}
        return told | {name: value for name, value in own.items() if value is not None}

    @property
    def of_sensitive(self) -> tuple[str, ...]:
        """The names of what speaks of sensitive columns, as a recipe has them."""
        return tuple(next(iter(_tell(name, self.wanted[name])), name) for name in self.wanted if _is_of_column(name))

    def make(self, schema: Schema, keys: tuple[str, ...], sensitive: tuple[str, ...]) -> dict[str, Guarantee]:
        """Return what must hold, by name; what speaks of sensitive columns, of each."""
        order = [*GUARANTEES.builtin, *(name for name in self.wanted if name not in GUARANTEES.builtin)]
        names = [name for name in order if name in self.wanted]
        made: dict[str, Guarantee] = {}
        if FIRST in names:
            made[FIRST] = _make(FIRST, self.wanted[FIRST], keys=keys)
        for column in sensitive:
            for name in filter(_is_of_column, names):
                usual = _choose_usual(name, schema, column)
                made[f"{name} of {column}"] = _make(name, {**usual, **self.wanted[name]}, keys=keys, sensitive=column)
        for name in names:
            if name != FIRST and not _is_of_column(name):
                made[name] = _make(name, self.wanted[name], keys=keys)
        return made

    def leave_out_classes(self, release: Release, guarantees: Mapping[str, Guarantee]) -> Release:
        """Return a release without the classes that are not diverse enough, if no more records stand in them than may.

        Whole classes go, so that k and the diversity of all others stay what they are. Releases that chance made stay
        as they are: what was drawn must not be chosen from afterwards.
        """
        if not self.leave_out or isinstance(release, DrawnRelease) or bool(release.deleted.all()):
            return release
        broken = np.zeros(len(release.deleted), dtype=np.bool_)
        for guarantee in guarantees.values():
            if isinstance(guarantee, LDiversity):
                broken |= guarantee.find_broken(release)
        gone = release.deleted | broken
        if not broken.any() or int(broken.sum()) > self.leave_out * len(gone) or bool(gone.all()):
            return release
        return replace(release, deleted=gone, detail={**release.detail, "left_out": int(broken.sum())})


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedClasses:
    """The classes of equal keys in a published file, wherever its rows were counted.

    Attributes:
        form: where the file lies and how it is read.
        columns: its columns in order.
        kinds: of columns; those of sensitive ones are known.
        keys: what may be known of a person.
        sensitive: what must stay hidden.
        least: the size of the smallest class.
        count: what the classes tell about a sensitive column, with the distance of the farthest class where closeness
            up to some t is asked.
    """

    form: PublishedForm
    columns: Sequence[str]
    kinds: Mapping[str, Kind]
    keys: Sequence[str]
    sensitive: Sequence[str]
    least: int
    count: Callable[[str, float | None], SecretFigures]

    def list_claims(self, wanted: RecordGuarantees) -> tuple[ClassesClaim, ...]:
        """Return what the certificate says of the classes, to be counted again by anybody."""
        places = {name: place for place, name in enumerate(self.columns)}
        bare = ClassesClaim(
            published=self.form, keys=tuple(places[name] for name in self.keys), k=self.least, required_k=wanted.k
        )
        required = wanted.l if wanted.l_kind is Diversity.DISTINCT else None
        claims: list[ClassesClaim] = []
        for name in self.sensitive:
            alike = wanted.t_distance in (None, Distance.EQUAL) and not self.kinds[name].numeric
            figures = self.count(name, 1.0 if alike else None)
            claim = replace(
                bare,
                sensitive=places[name],
                values=figures.values,
                distance=figures.distance,
                unknown=figures.unknown,
                required_values=None if required is None else int(required),
                required_distance=None if figures.distance is None else wanted.t,
            )
            claims.append(claim)
        return tuple(claims) or (bare,)


def check_finding(check: Callable[[Release], Finding], release: Release) -> Finding:
    """Return what a check finds; that it is not kept where the release has nothing to count."""
    try:
        return check(release)
    except InfeasibleError as error:
        return Finding(kept=False, worst=float("nan"), wanted=float("nan"), where=(), words=str(error))


def list_broken(findings: Mapping[str, Finding]) -> Iterator[Reason]:
    """Give each guarantee that is asked for and does not hold."""
    for name, finding in findings.items():
        if not finding.kept:
            words = Said("{guarantee}: {finding}", guarantee=name_guarantee(name), finding=finding.words)
            yield make_reason("guarantee broken", words)


def _list_fields(name: str) -> tuple[Field[Any], ...]:
    return fields(cast("Any", GUARANTEES.find_class(name, Shape.RECORDS)))


def _is_of_column(name: str) -> bool:
    return any(item.name == "sensitive" for item in _list_fields(name))


def _make(name: str, parameters: Parameters, **columns: object) -> Guarantee:
    """Return a guarantee; what is not said is as a recipe takes it, keys only where the guarantee has them."""
    items = {item.name: item for item in _list_fields(name)}
    usual = {key: item.metadata["unasked"] for key, item in items.items() if "unasked" in item.metadata}
    usual = usual if any(key in parameters for key in usual) else {}
    own = {key: value for key, value in columns.items() if key in items}
    return GUARANTEES.make(name, **{**usual, **parameters, **own})


def _choose_usual(name: str, schema: Schema, column: str) -> dict[str, object]:
    """Return what is taken for a column of numbers where nothing is said."""
    if not schema[column].kind.numeric:
        return {}
    return {item.name: item.metadata["numeric"] for item in _list_fields(name) if "numeric" in item.metadata}


def _tell(name: str, parameters: Parameters) -> dict[str, object]:
    told: dict[str, object] = {}
    more: dict[str, object] = {}
    shared = _count_keys(name)
    for item in _list_fields(name):
        key, value = item.metadata.get("recipe"), parameters.get(item.name)
        usual = item.metadata.get("detail") and "numeric" not in item.metadata and value == item.default
        if item.name not in parameters or usual:
            continue
        if key is None:
            more[item.name] = value
        elif shared[key] > 1:
            told[key] = (*cast("tuple[object, ...]", told.get(key, ())), value)
        else:
            told[key] = value
    return told | ({name: more} if more or not told else {})


def _count_keys(name: str) -> dict[str, int]:
    keys = [item.metadata["recipe"] for item in _list_fields(name) if "recipe" in item.metadata]
    return {key: keys.count(key) for key in keys}


def _list_keys() -> dict[str, dict[str, list[str]]]:
    """Return the keys of a recipe's section: by key and name of a guarantee the parameters that it says."""
    keys: dict[str, dict[str, list[str]]] = {}
    for name in (*GUARANTEES.builtin, *(name for name in GUARANTEES if name not in GUARANTEES.builtin)):
        if Shape.RECORDS in GUARANTEES.shapes(name):
            for item in _list_fields(name):
                if "recipe" in item.metadata:
                    keys.setdefault(item.metadata["recipe"], {}).setdefault(name, []).append(item.name)
    return keys


def read_guarantees(section: Mapping[str, object], *, source: str) -> tuple[RecordGuarantees, list[Fault]]:
    """Return what the section of a recipe asks for, and what is wrong with it, all at once."""
    keys, faults = _list_keys(), list[Fault]()
    tables: dict[str, dict[str, object]] = {}
    for key, value in section.items():
        if key in GUARANTEES and Shape.RECORDS in GUARANTEES.shapes(key):
            if isinstance(value, Mapping):
                tables.setdefault(key, {}).update(cast("Mapping[str, object]", value))
            else:
                faults.append(_refuse(key, Said("be a table"), shorten(value)))
        elif key not in (*keys, *OWN):
            known = ", ".join(sorted((*keys, *OWN, *GUARANTEES.find_names(Shape.RECORDS))))
            faults.append(_refuse(key, Said("not be given (known: {known})", known=known), shorten(value)))
        for name, parameters in keys.get(key, {}).items():
            faults += _sort_in(tables.setdefault(name, {}), key, value, parameters)
    wanted: dict[str, Parameters] = {}
    for name, table in tables.items():
        if name in section or any(_asks(item) and item.name in table for item in _list_fields(name)):
            parameters, wrong = _read_parameters(name, table, source)
            faults += wrong
            wanted |= {} if wrong else {name: parameters}
    own = {key: section[key] for key in OWN if key in section}
    guarantees, wrong = build_leniently({"wanted": wanted, **own}, RecordGuarantees, source=source)
    return guarantees, [*faults, *(_refuse(fault.column, fault.rule, fault.value) for fault in wrong)]


def _asks(item: Field[Any]) -> bool:
    return "recipe" in item.metadata and not item.metadata.get("detail")


def _sort_in(table: dict[str, object], key: str, value: object, parameters: list[str]) -> Iterator[Fault]:
    """Put the value of a key where its guarantee has it; several parameters take a list."""
    if len(parameters) == 1:
        table[parameters[0]] = value
    elif isinstance(value, list) and len(cast("list[object]", value)) == len(parameters):
        table.update(zip(parameters, cast("list[object]", value), strict=True))
    else:
        yield _refuse(key, Said("be [{parameters}]", parameters=", ".join(parameters)), shorten(value))


def _read_parameters(name: str, table: Mapping[str, object], source: str) -> tuple[Parameters, list[Fault]]:
    """Return the parameters of a guarantee as its types have them, and what is wrong with them."""
    kind = GUARANTEES.find_class(name, Shape.RECORDS)
    keys = {item.name: item.metadata["recipe"] for item in _list_fields(name) if "recipe" in item.metadata}
    files = {key: Path(value) for key, value in table.items() if key == FILE and isinstance(value, str) and value}
    plain = {key: value for key, value in table.items() if key != FILE}
    if name == "t-closeness" and plain.get("distance") == Distance.HIERARCHICAL:
        return {}, [_refuse(keys["distance"], Said("be equal or ordered"), shorten(plain["distance"]))]
    faults = [
        _refuse(f"{name}.{key}", Said("be said of all guarantees"), shorten(plain[key]))
        for key in COLUMNS
        if key in plain
    ]
    try:
        thing = build_settings(plain, kind, source=source)
    except SettingsError as error:
        places = [(keys.get(fault.column, f"{name}.{fault.column}"), fault) for fault in error.faults]
        return {}, [*faults, *(_refuse(place, fault.rule, fault.value) for place, fault in places)]
    values = {item.name: getattr(thing, item.name) for item in _list_fields(name) if item.name in plain}
    return values | files, faults


def _refuse(key: str, rule: str, shown: str) -> Fault:
    place = f"guarantees.{key}"
    message = Said("{name} must {rule}, not {value}", name=place, rule=rule, value=shown)
    return Fault(row=0, column=place, rule=rule, value=shown, message=message)
