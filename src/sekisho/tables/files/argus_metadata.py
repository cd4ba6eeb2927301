"""τ-ARGUS metadata of tabular data (``.rda``): which column of the ``.tab`` file is what.

One line per variable (its name, then missing codes), followed by indented lines of keywords in angle brackets. A
separator and the letters of the statuses stand before the first variable.

Source: τ-ARGUS manual 4.1, sections 5.1.1 and 5.1.4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from sekisho.data.files.separated_rows import can_separate
from sekisho.errors import Fault, FaultsError
from sekisho.tables.model.table import TOTAL
from sekisho.words import Said

WIDTH = re.compile("[0-9]{1,4}")
TOKEN = re.compile(r"<[^<>]*>|\"[^\"]*\"|\S+")


class TabColumn(StrEnum):
    """What a column of a ``.tab`` file holds, by its keyword."""

    SPANNING = "RECODEABLE"
    RESPONSE = "NUMERIC"
    SHADOW = "SHADOW"
    COST = "COST"
    LOWER = "LOWERPL"
    UPPER = "UPPERPL"
    FREQUENCY = "FREQUENCY"
    LARGEST = "MAXSCORE"
    STATUS = "STATUS"


ALIASES = {"RECODABLE": "RECODEABLE", "COSTVAR": "COST"}
IGNORED = frozenset({"CODELIST", "DISTANCE", "HIERARCHICAL", "TRUNCABLE"})
PARTS = frozenset(TabColumn)
TEXTS = {"TOTCODE": "total", "HIERCODELIST": "outline", "HIERLEADSTRING": "lead"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One column of a ``.tab`` file.

    Attributes:
        name: of the column.
        part: what it holds; None if the file does not say.
        missing: codes that mean "unknown"; they hang from the total.
        total: the total's code.
        outline: the file of its hierarchy (``.hrc``).
        lead: the string that marks a level in that file.
        widths: of the levels, where the codes' digits are the hierarchy.
        decimals: of a number.
    """

    name: str
    part: TabColumn | None = None
    missing: tuple[str, ...] = ()
    total: str = TOTAL
    outline: str = ""
    lead: str = "@"
    widths: tuple[int, ...] = ()
    decimals: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """The metadata of a ``.tab`` file: its columns in order, its separator, and the letters of the statuses."""

    variables: tuple[Variable, ...]
    separator: str = ","
    safe: str = "S"
    unsafe: str = "U"
    protect: str = "P"

    def of(self, part: TabColumn) -> tuple[Variable, ...]:
        """Return the variables that hold one kind of thing."""
        return tuple(one for one in self.variables if one.part is part)


def rda_meta(text: str, *, source: object = "metadata") -> Meta:
    """Return the metadata of an ``.rda`` text.

    Raises:
        FaultsError: unknown keywords, keywords before any variable, no or several responses, no spanning variable; all
            at once.
    """
    faults: list[Fault] = []
    variables: list[Variable] = []
    marks: dict[str, str] = {}
    for row, line in enumerate(text.splitlines(), start=1):
        tokens = [token.strip('"') if token.startswith('"') else token for token in TOKEN.findall(line)]
        if not tokens:
            continue
        if not line.lstrip().startswith("<"):
            variables.append(Variable(name=tokens[0], missing=tuple(tokens[1:])))
        elif not variables:
            marks |= _mark(row, tokens, faults)
        else:
            variables[-1] = _read_lines(row, variables[-1], tokens, faults)
    meta = Meta(variables=tuple(variables), **marks)
    faults += _lacking(meta)
    if faults:
        raise FaultsError(source, sorted(faults, key=lambda fault: fault.row))
    return meta


def rda_text(meta: Meta) -> str:
    """Return metadata as an ``.rda`` text."""
    lines = [
        f'   <SEPARATOR> "{meta.separator}"',
        f"   <SAFE> {meta.safe}",
        f"   <UNSAFE> {meta.unsafe}",
        f"   <PROTECT> {meta.protect}",
    ]
    for one in meta.variables:
        name = f'"{one.name}"' if len(one.name.split()) != 1 else one.name
        lines.append(" ".join([name, *(f'"{code}"' for code in one.missing)]))
        if one.part is None:
            continue
        lines.append(f"    {_keywords(one.part)}")
        if one.part is TabColumn.SPANNING:
            lines.append(f'    <TOTCODE> "{one.total}"')
        if one.outline:
            lines += [
                "    <HIERARCHICAL>",
                f'    <HIERCODELIST> "{one.outline}"',
                f'    <HIERLEADSTRING> "{one.lead}"',
            ]
        if one.widths:
            lines += ["    <HIERARCHICAL>", f"    <HIERLEVELS> {' '.join(map(str, one.widths))}"]
        if one.decimals:
            lines.append(f"    <DECIMALS> {one.decimals}")
    return "\n".join(lines) + "\n"


def _keywords(part: TabColumn) -> str:
    return (
        f"<NUMERIC> <{part}>"
        if part in (TabColumn.SHADOW, TabColumn.COST, TabColumn.LOWER, TabColumn.UPPER)
        else f"<{part}>"
    )


def _mark(row: int, tokens: list[str], faults: list[Fault]) -> dict[str, str]:
    word = tokens[0].strip("<>").upper()
    names = {"SEPARATOR": "separator", "SAFE": "safe", "UNSAFE": "unsafe", "PROTECT": "protect"}
    if word not in names or len(tokens) < 2:
        faults.append(
            _fault(row, "keyword", tokens[0], Said("{tokens} cannot stand before a variable", tokens=" ".join(tokens)))
        )
        return {}
    value = "\t" if tokens[1] in ("\\t", "<TAB>") else tokens[1]
    if word == "SEPARATOR" and not can_separate(value):
        faults.append(
            _fault(row, "separator", value, Said("<SEPARATOR> takes one ASCII character, not {value!r}", value=value))
        )
        return {}
    return {names[word]: value if word == "SEPARATOR" else value.upper()}


def _read_lines(row: int, variable: Variable, tokens: list[str], faults: list[Fault]) -> Variable:
    """Return a variable with what a line of keywords says of it."""
    at = 0
    while at < len(tokens):
        if not tokens[at].startswith("<"):
            faults.append(
                _fault(row, "keyword", tokens[at], Said("{tokens!r} stands where a keyword is due", tokens=tokens[at]))
            )
            return variable
        word = tokens[at].strip("<>").upper()
        end = next((place for place in range(at + 1, len(tokens)) if tokens[place].startswith("<")), len(tokens))
        variable = _keyed(row, variable, ALIASES.get(word, word), tokens[at + 1 : end], faults)
        at = end
    return variable


def _keyed(row: int, variable: Variable, word: str, given: list[str], faults: list[Fault]) -> Variable:
    first = given[0] if given else ""
    if word in PARTS:
        return replace(variable, part=TabColumn(word))
    if word in TEXTS:
        return replace(variable, **{TEXTS[word]: first.strip()})
    if word in ("HIERLEVELS", "DECIMALS"):
        if not given or not all(WIDTH.fullmatch(part) for part in given):
            what = Said("<{word}> of {name} takes whole numbers of at most 4 digits", word=word, name=variable.name)
            faults.append(_fault(row, "number", " ".join(given), what))
            return variable
        numbers = tuple(map(int, given))
        return replace(variable, widths=numbers) if word == "HIERLEVELS" else replace(variable, decimals=numbers[0])
    if word not in IGNORED:
        faults.append(
            _fault(
                row,
                "keyword",
                f"<{word}>",
                Said("<{word}> of {name} is no keyword of tabular data", word=word, name=variable.name),
            )
        )
    return variable


def _lacking(meta: Meta) -> list[Fault]:
    faults: list[Fault] = []
    if not meta.of(TabColumn.SPANNING):
        faults.append(_fault(0, "spanning", "", Said("there is no spanning variable (<RECODEABLE>)")))
    for part in (
        TabColumn.RESPONSE,
        TabColumn.COST,
        TabColumn.LOWER,
        TabColumn.UPPER,
        TabColumn.FREQUENCY,
        TabColumn.STATUS,
    ):
        those = [one.name for one in meta.of(part)]
        if len(those) > 1 or (part is TabColumn.RESPONSE and not those):
            faults.append(
                _fault(
                    0,
                    "one",
                    ",".join(those),
                    Said("there must be one <{part}>, not {those}", part=part, those=len(those)),
                )
            )
    names = [one.name for one in meta.variables]
    odd = dict.fromkeys(name for place, name in enumerate(names) if name in names[:place] or not name)
    return faults + [
        _fault(0, "name", name, Said("the name {name!r} of a variable is empty or stands there twice", name=name))
        for name in odd
    ]


def _fault(row: int, rule: str, value: str, message: Said) -> Fault:
    return Fault(row=row, column="", rule=rule, value=value, message=message)
