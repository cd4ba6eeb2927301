"""What must hold of a release of a history beside the claim H0, as a recipe names it.

::

    sensitive = ["diagnosis"]  # the schema's sensitive columns if not said

    [guarantees]
    l = 2                      # of everybody at least so many values of each sensitive column remain possible

The keys are those that the guarantees of :data:`sekisho.safety.GUARANTEES` that suit histories declare for their
parameters; any of them can be asked for by its name as well, with all its parameters, keys and sensitive columns apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, cast

from sekisho.data.files.settings import build_settings
from sekisho.data.frame.dataset import Role, Schema
from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.errors import Fault, InfeasibleError, ParameterError, SettingsError, shorten
from sekisho.gate.names import name_guarantee
from sekisho.gate.outcome import Certainty, Reason, Statement
from sekisho.gate.policy import make_reason
from sekisho.safety import GUARANTEES, Guarantee
from sekisho.safety.guarantee import Finding
from sekisho.safety.secret_values import list_known_columns
from sekisho.words import Said

COLUMNS = ("keys", "sensitive")
"""Parameters that follow from the schema and the recipe's sensitive columns."""
OTHERS_ROWS = Said(
    "the pseudonyms were drawn at random, and whoever reads it knows everything but the sensitive columns and takes "
    "the release at its word"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryGuarantees:
    """What must hold of a release of a history; nothing if empty.

    Attributes:
        wanted: by name of a guarantee the parameters that are given for it.
    """

    wanted: Mapping[str, Mapping[str, object]] = field(default_factory=dict[str, Mapping[str, object]])

    def make(self, schema: Schema, sensitive: Sequence[str]) -> dict[str, Guarantee]:
        """Return what must hold, by name and sensitive column.

        Args:
            schema: of the history.
            sensitive: the columns that must stay hidden; all others may be known of a person.
        """
        known = list_known_columns(schema, tuple(sensitive))
        return {
            name: guarantee for column in sensitive for name, guarantee in self.make_of_column(column, known).items()
        }

    def make_of_column(self, column: str, known: tuple[str, ...] = ()) -> dict[str, Guarantee]:
        """Return what must hold of one sensitive column, by name.

        Args:
            column: it.
            known: the columns that may be known of a person; as each guarantee takes them if none.
        """
        return {
            f"{name} of {column}": GUARANTEES.make(name, **{**parameters, "keys": known, "sensitive": column})
            for name, parameters in self.wanted.items()
        }

    def check(self, sensitive: Sequence[str]) -> None:
        """Refuse what speaks of sensitive columns where there are none.

        Raises:
            ParameterError: something is asked for, and no column is sensitive.
        """
        if self.wanted and not sensitive:
            rule = Said("not be given where no column is sensitive: name it in sensitive")
            raise ParameterError("guarantees", rule, ", ".join(self.tell()))

    def tell(self) -> dict[str, object]:
        """Return what is asked for, by a recipe's own names."""
        told: dict[str, object] = {}
        for name, parameters in self.wanted.items():
            keys = {item.name: item.metadata.get("recipe") for item in _list_fields(name)}
            short = {key: parameters[own] for own, key in keys.items() if key is not None and own in parameters}
            others = {own: value for own, value in parameters.items() if keys.get(own) is None}
            told |= short | ({name: others} if others or not short else {})
        return told


def settle_sensitive(schema: Schema, named: Sequence[str]) -> tuple[str, ...]:
    """Return the sensitive columns of a history: those that a recipe names beside those that the schema calls so.

    Raises:
        ParameterError: a named one is not there, or would not leave.
    """
    leaving = [column.name for column in schema.attributes]
    for name in named:
        if name not in leaving:
            raise ParameterError("sensitive", Said("be one of {choices}", choices=", ".join(leaving)), name)
    chosen = {*named, *schema.with_role(Role.SENSITIVE)}
    return tuple(name for name in leaving if name in chosen)


def check_learnable(learnable: Mapping[str, str], sensitive: Sequence[str]) -> None:
    """Refuse reasons why columns may be learnt that are not sensitive.

    Raises:
        ParameterError: a column is not among the sensitive ones.
    """
    for name in learnable:
        if name not in sensitive:
            choices = ", ".join(sensitive)
            raise ParameterError("learnable", Said("be one of {choices}", choices=choices), name)


def check_guarantees(guarantees: Mapping[str, Guarantee], release: Release) -> dict[str, Finding]:
    """Return by name whether a release keeps what is asked for; nothing where nobody is published."""
    try:
        return {name: guarantee.check(release) for name, guarantee in guarantees.items()}
    except InfeasibleError:
        return {}


def list_broken_guarantees(findings: Mapping[str, Finding]) -> Iterator[Reason]:
    """Give each guarantee that is asked for and does not hold."""
    for name, finding in findings.items():
        if not finding.kept:
            words = Said("{guarantee}: {finding}", guarantee=name_guarantee(name), finding=finding.words)
            yield make_reason("guarantee broken", words)


def state_guarantees(findings: Mapping[str, Finding]) -> Iterator[Statement]:
    """Give what was asked for as it was counted."""
    for name, finding in findings.items():
        yield Statement(
            standing=Certainty.PROVEN if finding.kept else Certainty.REFUTED,
            subject=name,
            detail=cast("Said", finding.words),
            assumes=OTHERS_ROWS if finding.kept else "",
            figures={"worst": finding.worst, "wanted": finding.wanted},
        )


def read_history_guarantees(section: Mapping[str, object], *, source: str) -> tuple[HistoryGuarantees, list[Fault]]:
    """Return what the section of a recipe asks for, and what is wrong with it, all at once."""
    keys, names = _list_keys(), [name for name in GUARANTEES if Shape.HISTORY in GUARANTEES.shapes(name)]
    tables: dict[str, dict[str, object]] = {}
    faults: list[Fault] = []
    for key, value in section.items():
        if key in names and isinstance(value, Mapping):
            tables.setdefault(key, {}).update(cast("Mapping[str, object]", value))
        elif key in names:
            faults.append(_refuse(key, Said("be a table"), value))
        elif key in keys:
            name, parameter = keys[key]
            tables.setdefault(name, {})[parameter] = value
        else:
            known = ", ".join(sorted((*keys, *names)))
            faults.append(_refuse(key, Said("not be given for a history (known: {known})", known=known), value))
    wanted: dict[str, Mapping[str, object]] = {}
    for name, table in tables.items():
        parameters, wrong = _read_parameters(name, table, source)
        faults += wrong
        wanted |= {} if wrong else {name: parameters}
    return HistoryGuarantees(wanted=wanted), faults


def _list_fields(name: str) -> tuple[Field[Any], ...]:
    return fields(cast("Any", GUARANTEES.find_class(name, Shape.HISTORY)))


def _list_keys() -> dict[str, tuple[str, str]]:
    """Return the keys of a recipe's section: of each the guarantee and its parameter."""
    return {
        item.metadata["recipe"]: (name, item.name)
        for name in GUARANTEES
        if Shape.HISTORY in GUARANTEES.shapes(name)
        for item in _list_fields(name)
        if "recipe" in item.metadata
    }


def _read_parameters(name: str, table: Mapping[str, object], source: str) -> tuple[Mapping[str, object], list[Fault]]:
    """Return the parameters of a guarantee as its types have them, and what is wrong with them."""
    keys = {item.name: item.metadata.get("recipe", f"{name}.{item.name}") for item in _list_fields(name)}
    said = [key for key in COLUMNS if key in table]
    faults = [_refuse(f"{name}.{key}", Said("be said of all guarantees"), table[key]) for key in said]
    try:
        made = build_settings(table, GUARANTEES.find_class(name, Shape.HISTORY), source=source)
    except SettingsError as error:
        wrong = [(keys.get(fault.column, f"{name}.{fault.column}"), fault) for fault in error.faults]
        return {}, [*faults, *(_refuse(place, fault.rule, fault.value) for place, fault in wrong)]
    return {key: getattr(made, key) for key in table if key not in COLUMNS}, faults


def _refuse(key: str, rule: str, value: object) -> Fault:
    place, shown = f"guarantees.{key}", shorten(value)
    message = Said("{name} must {rule}, not {value}", name=place, rule=rule, value=shown)
    return Fault(row=0, column=place, rule=rule, value=shown, message=message)
