"""How a tree is made of a column's values: intervals of numbers, periods of dates, prefixes of codes, groups by hand.

A rule is a value, and a file in TOML beside the tree that it made. The file has the digest of the tree's: a tree that
was changed since is one made by hand, and its rule no longer says anything::

    digest = "9f86d0…"
    [rule]
    column = "age"
    [rule.number]
    width = 5
    low = 20
    high = 80
    joins = [2, 2]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from sekisho.data.files.settings import build_settings, parse_toml
from sekisho.data.files.toml_text import TomlText
from sekisho.data.files.whole_files import decode_text, is_file, read_bytes
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import parse_edges, write_tree
from sekisho.errors import FaultsError, InputError, ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

ROOT = "*"
RULE_SUFFIX = ".rule.toml"
JOINS = range(2, 11)
"""So many neighbours may become one."""
MOST_QUANTILES = 100


class TreeKind(StrEnum):
    """What kind of values a tree is made of."""

    NUMBER = "number"
    DATE = "date"
    CODE = "code"
    CATEGORY = "category"


class DateUnit(StrEnum):
    """How long a period is, the shortest first."""

    DAY = "day"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    FIVE_YEARS = "5 years"
    TEN_YEARS = "10 years"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class NumberSteps:
    """Intervals, then neighbours joined: by a width, by edges, or by so many with about as many people each.

    Attributes:
        width: of each interval; their borders are multiples of it, or lie so many widths above ``low``.
        low: with a width, all below is one interval.
        high: with a width, all from here on is one interval.
        edges: where an interval ends and the next begins.
        quantiles: how many intervals of about as many people.
        joins: how many neighbours of the step before become one, step by step.
    """

    width: Fraction | None = None
    low: Fraction | None = None
    high: Fraction | None = None
    edges: tuple[Fraction, ...] = ()
    quantiles: int | None = None
    joins: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if sum((self.width is not None, bool(self.edges), self.quantiles is not None)) != 1:
            raise ParameterError("number", Said("have one of width, edges and quantiles"), self.width)
        if self.width is not None and self.width <= 0:
            raise ParameterError("width", Said("be above 0"), self.width)
        if self.width is None and (self.low is not None or self.high is not None):
            raise ParameterError(Said("low and high"), Said("be given with a width"), self.low)
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ParameterError("low", Said("lie below high"), self.low)
        if self.high is not None and ((self.high - (self.low or 0)) / (self.width or 1)).denominator != 1:
            raise ParameterError("high", Said("lie whole widths above low, or above 0"), self.high)
        if any(low >= high for low, high in pairwise(self.edges)):
            raise ParameterError("edges", Said("rise"), [str(edge) for edge in self.edges])
        if self.quantiles is not None and not 2 <= self.quantiles <= MOST_QUANTILES:
            raise ParameterError("quantiles", Said("lie between 2 and {most}", most=MOST_QUANTILES), self.quantiles)
        if any(join not in JOINS for join in self.joins):
            raise ParameterError("joins", Said("be numbers of neighbours, 2 to 10"), list(self.joins))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DateSteps:
    """Periods, ever longer ones.

    Attributes:
        units: of the periods.
        first_year: in which a period of 5 or 10 years begins; if not said, a year that these divide.
    """

    units: tuple[DateUnit, ...]
    first_year: int | None = None

    def __post_init__(self) -> None:
        order = [list(DateUnit).index(unit) for unit in self.units]
        if not order or any(shorter >= longer for shorter, longer in pairwise(order)):
            raise ParameterError("units", Said("be ever longer periods"), list(self.units))
        if self.first_year is not None and not 1 <= self.first_year <= 9999:
            raise ParameterError("first_year", Said("be a year"), self.first_year)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class CodeSteps:
    """Prefixes of codes, ever shorter ones: of a postal code of seven digits 3 and 2."""

    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.lengths or self.lengths[-1] < 1 or any(long <= short for long, short in pairwise(self.lengths)):
            raise ParameterError("lengths", Said("be ever shorter, 1 at least"), list(self.lengths))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class GroupStep:
    """Groups by hand: by name, the values or the groups of the step before; what none holds stays as it is."""

    groups: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class CategorySteps:
    """Groups of values, then groups of groups; no step leaves a root above the values."""

    steps: tuple[GroupStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class TreeRule:
    """How a tree is made of a column; one of number, date, code and category is given.

    Attributes:
        column: whose values the tree has.
        root: what all values together are called.
    """

    column: str
    root: str = ROOT
    number: NumberSteps | None = None
    date: DateSteps | None = None
    code: CodeSteps | None = None
    category: CategorySteps | None = None

    def __post_init__(self) -> None:
        if sum(each is not None for each in (self.number, self.date, self.code, self.category)) != 1:
            raise ParameterError("rule", Said("have one of number, date, code and category"), self.column)
        if not self.root.strip():
            raise ParameterError("root", Said("not be empty"), self.root)

    @property
    def kind(self) -> TreeKind:
        """What it is made for."""
        given = {TreeKind.NUMBER: self.number, TreeKind.DATE: self.date, TreeKind.CODE: self.code}
        return next((kind for kind, steps in given.items() if steps is not None), TreeKind.CATEGORY)

    def as_dict(self) -> dict[str, object]:
        """Return the rule as plain data, what is not given left out."""
        steps = {"number": self.number, "date": self.date, "code": self.code, "category": self.category}
        kept: dict[str, object] = {} if self.root == ROOT else {"root": self.root}
        return {"column": self.column, **kept} | {
            name: _list_fields(value) for name, value in steps.items() if value is not None
        }


def _list_fields(steps: NumberSteps | DateSteps | CodeSteps | CategorySteps) -> dict[str, object]:
    if isinstance(steps, CategorySteps):
        return {"steps": [{"groups": {name: list(held) for name, held in one.groups.items()}} for one in steps.steps]}
    values = {item.name: getattr(steps, item.name) for item in fields(steps)}
    return {name: _write_plainly(value) for name, value in values.items() if value not in (None, ())}


def _write_plainly(value: object) -> object:
    if isinstance(value, tuple):
        return [_write_plainly(each) for each in value]
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else _write_fraction(value)
    return str(value) if isinstance(value, str) else value


def _write_fraction(value: Fraction) -> str:
    """Return a fraction as a decimal where it is one."""
    places = next((places for places in range(1, 10) if (value * 10**places).denominator == 1), None)
    return str(value) if places is None else f"{float(value):.{places}f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFile:
    """A rule as it lies beside its tree; the digest (SHA-256) is of the tree's file."""

    digest: str
    rule: TreeRule


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedTree:
    """A tree that was opened.

    Attributes:
        tree: what its file holds.
        rule: that made it; None of a tree made by hand.
        remarks: why the rule beside it says nothing, if one lies there.
    """

    tree: Tree
    rule: TreeRule | None = None
    remarks: tuple[Said, ...] = field(default=())

    @property
    def by_hand(self) -> bool:
        """Whether no rule gives it."""
        return self.rule is None


def find_rule_path(tree: Path) -> Path:
    """Return where the rule of a tree's file lies: ``age.rule.toml`` beside ``age.csv`` and ``age.tree.csv``."""
    return tree.with_name(tree.stem.removesuffix(".tree") + RULE_SUFFIX)


def write_tree_files(tree: Tree, path: Path, rule: TreeRule | None = None) -> dict[Path, bytes]:
    """Return the files of a tree, to be written whole: its own, and its rule's where it was made by one."""
    content = write_tree(tree)
    return {path: content} | ({} if rule is None else {find_rule_path(path): write_rule(rule, content)})


def write_rule(rule: TreeRule, content: bytes) -> bytes:
    """Return a rule beside the content of the file that holds its tree."""
    text, settings = TomlText(), rule.as_dict()
    text.set("digest", sha256(content).hexdigest())
    text.open("[rule]")
    tables = {name: value for name, value in settings.items() if isinstance(value, dict)}
    for name, value in settings.items():
        if name not in tables:
            text.set(name, value)
    for table, values in tables.items():
        text.open(f"[rule.{table}]")
        for name, value in values.items():
            text.set(name, value)
    return text.render()


def read_rule(path: Path) -> RuleFile:
    """Return the rule of a file.

    Raises:
        InputError: it cannot be read, or is no TOML.
        SettingsError: it holds something else than a rule; all reasons at once.
    """
    return build_settings(parse_toml(decode_text(read_bytes(path), path), str(path)), RuleFile, source=str(path))


def open_tree(path: Path, *, encoding: str | None = None) -> OpenedTree:
    """Return the tree of a file of any form, and the rule that made it, where the file is what the rule gave.

    Raises:
        InputError: it cannot be read.
        FaultsError: it is no tree; all reasons at once.
    """
    content = read_bytes(path)
    tree, beside = parse_edges(content, path, encoding=encoding).build(), find_rule_path(path)
    if not is_file(beside):
        return OpenedTree(tree=tree)
    try:
        known = read_rule(beside)
    except (InputError, FaultsError) as error:
        remark = Said("the rule beside it cannot be read, so the tree counts as made by hand: {error}", error=error)
        return OpenedTree(tree=tree, remarks=(remark,))
    if known.digest != sha256(content).hexdigest():
        remark = Said("{rule} is of another tree than this file now holds: it counts as made by hand", rule=beside)
        return OpenedTree(tree=tree, remarks=(remark,))
    return OpenedTree(tree=tree, rule=known.rule)
