"""English words of ours in Japanese, as far as the catalogue knows them; what it does not know stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import islice

from sekisho.cli.kit.language.japanese.catalogue import Sentence, fill_holes, list_holes, read_catalogue, read_entries
from sekisho.errors import (
    Fault,
    FaultsError,
    InputError,
    ParameterError,
    SekishoError,
    cut_text,
    shorten,
)
from sekisho.words import Language, Said

LONGEST = 4000
"""Longer texts are no sentences of ours, but data."""
DEEPEST = 4
MOST_COLONS = 4
VERBS = frozenset({"cannot", "has", "holds", "is", "must", "names", "needs", "says", "shows", "stands"})
"""A sentence may be a name followed by one of these: what the catalogue has without a subject."""
_PLACED = re.compile(r"(?:row (\d+)|file)(?:, ([^:]*))?: (.+)")
_ROW = re.compile(r"\brow (\d+)(?:, ([^:]+))?: $")
_CELLS = re.compile(r"(\s{2,})")
_KEYED = re.compile(r"\w+\s{2,}")
_COLON = re.compile(r": ")
_NOT = re.compile(r", not ")
_COMMA = re.compile(r", (?![^(]*\))")  # not within parentheses


def translate_error(error: SekishoError) -> str:
    """Return an error's sentence in Japanese; in English where there is none."""
    match error:
        case FaultsError():
            return _translate_faults(error)
        case ParameterError(name=name, rule=rule, value=value, hint=hint):
            predicate = translate_rule(rule)
            return str(error) if predicate is None else _join_rule(name, predicate, value, hint)
        case InputError(source=source, reason=reason):
            return f"{source}: {translate_phrase(reason)}"
        case _:
            return translate_lines(str(error))


def translate_fault(fault: Fault) -> Fault:
    """Return a fault with its message in Japanese; its rule and its place stay."""
    return Fault(
        row=fault.row,
        column=fault.column,
        rule=fault.rule,
        value=fault.value,
        message=translate_phrase(fault.message),
    )


def translate_lines(text: str) -> str:
    """Return words in Japanese line by line; indentation and unknown lines stay."""
    if isinstance(text, Said):
        return text.say(Language.JA)
    return "\n".join(map(_translate_line, text.split("\n")))


def translate_phrase(text: str) -> str:
    """Return a sentence or a part of one in Japanese; the text itself where the catalogue does not know it."""
    if isinstance(text, Said):
        return text.say(Language.JA)
    return find_translation(text) or text


def translate_subject(subject: str) -> str:
    """Return what was checked of a certificate: ``verdict``; elsewhere such a word may be somebody's column."""
    found = read_catalogue("subjects").find(subject)
    return subject if found is None else fill_holes(found[0].japanese, found[1], {})


def translate_rule(rule: str) -> str | None:
    """Return the predicate of a rule such as ``be at least 2``."""
    if isinstance(rule, Said):
        return rule.say(Language.JA)
    found = read_catalogue("rules").find(rule)
    if found is None:
        return None
    sentence, values = found
    return _fill(sentence.japanese, values, 1)


@lru_cache(maxsize=4096)
def find_translation(text: str, depth: int = 0) -> str | None:
    """Return a sentence in Japanese: as a whole, a rule, behind a colon, behind its subject, or part by part."""
    if depth > DEEPEST or len(text) > LONGEST:
        return None
    for way in WAYS:
        japanese = way(text, depth)
        if japanese is not None:
            return japanese
    return None


def _translate_whole(text: str, depth: int) -> str | None:
    """A sentence of the catalogue; what stands before a colon is a part of it only if more of it is literal so."""
    catalogue = read_catalogue("words", "usage")
    colons = [place.end() for place in islice(_COLON.finditer(text), MOST_COLONS)]
    starts = [0, *(start for start in colons if text[:start].count("'") % 2 == 0)]  # none within quotation marks
    matches = [(start, found) for start in starts if (found := catalogue.find(text[start:])) is not None]
    if not matches:
        return None
    start, (sentence, values) = max(matches, key=lambda match: (_weigh(*match[1]), match[0]))
    return _ROW.sub(_place_row, text[:start]) + _fill(sentence.japanese, values, depth + 1)


def _place_row(place: re.Match[str]) -> str:
    return _join_place(int(place[1]), place[2] or "", "")


def _weigh(sentence: Sentence, values: list[str]) -> int:
    """Return how many characters of a sentence are literal, those of the sentences in its holes included."""
    catalogue = read_catalogue("words", "usage")
    inner = [catalogue.find(values[at]) for at, kind in list_holes(sentence.japanese) if kind]
    return sentence.weight[0] + sum(found[0].weight[0] for found in inner if found is not None)


def _fill(japanese: str, values: list[str], depth: int) -> str:
    """Return a sentence with its holes filled, those that hold words of ours in Japanese."""
    worded = {values[at] for at, kind in list_holes(japanese) if kind}
    return fill_holes(
        japanese,
        values,
        {
            "words": {value: find_translation(value, depth) or value for value in worded},
            "rule": {value: translate_rule(value) or value for value in worded},
            "list": {value: "、".join(_translate_each(_COMMA.split(value), depth)) for value in worded},
            "choice": {value: "か".join(_translate_each(value.split(" or "), depth)) for value in worded},
        },
    )


def _translate_each(parts: Iterable[str], depth: int) -> Iterator[str]:
    return (find_translation(part, depth) or part for part in parts)


def _translate_rule_sentence(text: str, depth: int) -> str | None:
    """``k must be at least 2, not 1 (a hint)``."""
    name, must, rest = text.partition(" must ")
    for place in _NOT.finditer(rest) if must and name != "there" else ():
        predicate = translate_rule(rest[: place.start()])
        if predicate is not None:
            head, colon, subject = name.rpartition(": ")
            value, hint = _part_hint(rest[place.end() :], depth)
            return f"{head}{colon}{_join_subject(_translate_name(subject), predicate)}{_show_value(value, hint)}"
    return None


def _part_hint(text: str, depth: int) -> tuple[str, str]:
    value, opening, hint = text.rpartition(" (")
    japanese = find_translation(hint[:-1], depth + 1) if opening and hint.endswith(")") else None
    return (text, "") if japanese is None else (value, japanese)


def _translate_behind_colon(text: str, depth: int) -> str | None:
    head, colon, rest = text.partition(": ")
    if not colon:
        return None
    japanese = find_translation(rest, depth + 1)
    return None if japanese is None else f"{head}: {japanese}"


def _translate_predicate(text: str, depth: int) -> str | None:
    """A name and what is said of it: ``age cannot be rounded and put into intervals at once``."""
    words = text.split(" ")
    for at in range(1, len(words)):
        if words[at] in VERBS:
            found = read_catalogue("words").find(" ".join(words[at:]))
            if found is not None:
                sentence, values = found
                return _join_subject(" ".join(words[:at]), _fill(sentence.japanese, values, depth + 1))
    return None


def _translate_parts(text: str, depth: int) -> str | None:
    parts = text.split("; ")
    if len(parts) == 1:
        return None
    japanese = [find_translation(part, depth + 1) for part in parts]
    return "。".join(part for part in japanese if part is not None) if None not in japanese else None


def _translate_stopped(text: str, depth: int) -> str | None:
    """A sentence with its full stop."""
    japanese = find_translation(text[:-1], depth + 1) if text.endswith(".") else None
    return None if japanese is None else f"{japanese}。"


def _translate_placed(text: str, depth: int) -> str | None:
    """A fault as it is listed: ``row 3, price: …``."""
    found = _PLACED.fullmatch(text)
    if found is None:
        return None
    row, column, message = found.groups()
    return _join_place(int(row or 0), column or "", find_translation(message, depth + 1) or message)


def _translate_headed(text: str, depth: int) -> str | None:
    """A sentence behind a word of ours and a colon: ``infeasible: …``."""
    head, colon, rest = text.partition(": ")
    japanese = _read_heads().get(head) if colon else None
    return None if japanese is None else _fill(japanese, [rest], depth + 1)


@cache
def _read_heads() -> dict[str, str]:
    return {
        english.removesuffix(": {}"): japanese
        for english, japanese in read_entries("words").items()
        if english.endswith(": {}") and english.count("{}") == 1
    }


def _translate_tailed(text: str, depth: int) -> str | None:
    """A sentence with another in parentheses behind it."""
    head, opening, rest = text.rpartition(" (")
    found = read_catalogue("words").find(f"({rest}") if opening else None
    if found is None or not found[0].parts[0].startswith("("):
        return None
    return (find_translation(head, depth + 1) or head) + _fill(found[0].japanese, found[1], depth + 1)


WAYS = (
    _translate_placed,
    _translate_headed,
    _translate_tailed,
    _translate_rule_sentence,
    _translate_whole,
    _translate_stopped,
    _translate_behind_colon,
    _translate_predicate,
    _translate_parts,
)


def _translate_line(line: str) -> str:
    bare = line.strip()
    japanese = find_translation(bare) if bare and not _KEYED.match(bare) else None
    if japanese is not None:
        return line.replace(bare, japanese, 1)
    # figures in their columns: what has a space in it may be words of ours, other cells are keys, names and numbers
    return "".join(find_translation(cell) or cell if " " in cell.strip() else cell for cell in _CELLS.split(line))


def _translate_faults(error: FaultsError) -> str:
    shown = error.faults[: error.shown]
    rest = error.count - len(shown)
    first = "; ".join(map(_place_fault, map(translate_fault, shown)))
    hint = f"（{translate_phrase(error.hint)}）" if error.hint else ""
    return f"{_translate_source(error.source)}: {first}" + (f"、ほか {rest:,} 件" if rest > 0 else "") + hint


def _translate_source(source: str) -> str:
    """Return the name of what has faults: a file's stays, a word of ours such as ``options`` is translated."""
    if isinstance(source, Said):
        return source.say(Language.JA)
    found = read_catalogue("words").find(source)
    return source if found is None or found[1] else found[0].japanese


def _place_fault(fault: Fault) -> str:
    return _join_place(fault.row, cut_text(fault.column), cut_text(fault.message))


def _join_place(row: int, column: str, message: str) -> str:
    return f"{f'{row} 行目' if row else 'ファイル'}{'、' + column if column else ''}: {message}"


def _join_rule(name: str, predicate: str, value: object, hint: str) -> str:
    shown = "" if value is None else shorten(value)
    return _join_subject(_translate_name(name), predicate) + _show_value(shown, translate_phrase(hint))


def _join_subject(subject: str, predicate: str) -> str:
    """Return a subject and its predicate; as everywhere, Latin letters and digits stand apart from Japanese."""
    before, after = " " if subject[-1:].isascii() else "", " " if predicate[:1].isascii() else ""
    return f"{subject}{before}は{after}{predicate}"


def _translate_name(name: str) -> str:
    if isinstance(name, Said):
        return name.say(Language.JA)
    found = read_catalogue("names").find(name)
    return name if found is None else fill_holes(found[0].japanese, found[1], {})


def _show_value(value: str, hint: str) -> str:
    told = "指定されていません" if value in ("", "None") else f"指定された値: {value}"
    return f"（{told}{'。' + hint if hint else ''}）"
