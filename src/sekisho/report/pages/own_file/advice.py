"""What a person should know of a file before its recipe is run, in a sentence each; and its columns as plain data."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.shape import Shape
from sekisho.gate.profiling.hints import Sign, make_hint
from sekisho.gate.profiling.look import FileLook
from sekisho.report.pages.own_file.decisions import (
    OpenPoint,
    list_left_out,
    list_questions,
    list_reasons,
    names_people,
)
from sekisho.report.pages.own_file.schema_text import list_column_hints
from sekisho.report.pages.own_file.words import ROLES, say_hint, say_hints, say_shape
from sekisho.words import Language, Said, translate

HEADER = {True: Said("with header"), False: Said("no header")}
LEFT_OUT = Said("Left out, and why:")
DECIDE = Said("Please decide:")
SHOWN = 12


def list_advice(look: FileLook, language: Language) -> list[str]:
    """Return what to decide before the recipe is run, a sentence each."""
    return [_say_point(point, language) for point in list_questions(look)]


def describe_points(points: Sequence[OpenPoint], file: str, language: Language) -> list[dict[str, object]]:
    """Return what is left out or to decide as plain data, each with the line to change."""
    return [
        {
            "column": point.column,
            "reason": translate(point.reason, language),
            "line": None if point.line is None else f"{file}:{point.line}",
        }
        for point in points
    ]


def write_points(look: FileLook, file: str, language: Language, *, most: int | None = None) -> list[str]:
    """Return what is left out and what to decide in lines for people, the most important first, each with its line."""
    lines = list[str]()
    for title, points in ((LEFT_OUT, list_left_out(look)), (DECIDE, list_questions(look))):
        rule = title is LEFT_OUT and names_people(look)
        shown = points if most is None else points[:most]
        if points:
            lines.append(translate(title, language))
        for point in shown:
            where = "" if point.line is None else f" ({file}:{point.line})"
            lines.append(f"  - {_say_point(point, language)}{where}")
        if len(shown) < len(points):
            rest = Said("and {count:,} more, in {file}", count=len(points) - len(shown), file=file)
            lines.append(f"  - {translate(rest, language)}")
        if rule:
            lines.append(f"  {translate(say_hint(make_hint(Sign.NAMES_PEOPLE)), language)}")
    return lines


def _say_point(point: OpenPoint, language: Language) -> str:
    reason = translate(point.reason, language)
    return f"{point.column}: {reason}" if point.column else reason


def describe_columns(look: FileLook, language: Language) -> list[dict[str, object]]:
    """Return the file's columns as plain data, each with what it is and why."""
    if look.schema is None:
        return _describe_table(look)
    return [
        {
            "name": guess.look.name if rules is None else rules.output_name,
            "source": look.file.sources[guess.look.name],
            "kind": guess.look.kind.value if rules is None or rules.kind is None else rules.kind.value,
            "role": None if guess.role is None else guess.role.value,
            "means": None if guess.means is None else guess.means.value,
            "released": rules is not None and guess.role is not None and guess.role.leaves,
            "distinct": guess.look.distinct,
            "missing": guess.look.missing,
            "single": guess.look.single,
            "why": [
                translate(say_hint(hint), language)
                for hint in list_column_hints(guess, is_history=look.shape is Shape.HISTORY)
            ],
        }
        for guess, rules in zip(look.schema.roles, look.schema.rules, strict=True)
    ]


def _describe_table(look: FileLook) -> list[dict[str, object]]:
    table = look.guess.table
    dims = () if table is None else table.dims
    parts = {each.name: "dimension" for each in dims}
    if table is not None and table.value is not None:
        parts[table.value.name] = "count" if table.counts else "value"
    if table is not None:
        parts |= {each.name: "contributors" for each in table.contributors}
        parts |= {} if table.contributor is None else {table.contributor.name: "contributor"}
    return [
        {
            "name": each.name,
            "kind": each.kind.value,
            "role": parts.get(each.name),
            "distinct": each.distinct,
            "missing": each.missing,
        }
        for each in look.columns
    ]


def summarise_look(look: FileLook, language: Language, files: list[str], *, recipe: str, schema: str) -> str:
    """Return what a file is, in lines for people."""
    width = max(len(each.name) for each in look.columns)
    shape = f"{translate(say_shape(look.guess), language)} ({translate(say_hints(look.guess.hints), language)})"
    lines = [f"{look.path.name}: {shape}", describe_form(look.file.rules, look.file.rows, language, look.file.program)]
    lines += [translate(each, language) for each in look.file.notices]
    for guess in look.roles:
        role = translate(ROLES[guess.role], language)
        lines.append(f"  {guess.look.name:<{width}}  {role}: {translate(say_hints(list_reasons(guess)), language)}")
    if look.schema is None:
        lines += [f"  {one['name']:<{width}}  {one['role'] or '-'}" for one in describe_columns(look, language)]
    lines += write_points(look, schema, language, most=SHOWN)
    written = translate(
        Said("written: {files}; then: sekisho gate {recipe}", files=", ".join(files), recipe=recipe), language
    )
    return "\n".join([*lines, written])


def describe_form(rules: FileRules, rows: int, language: Language, program: str) -> str:
    """Return how a file is written, in words."""
    count = translate(Said("{rows:,} {rows:row|rows}", rows=rows), language)
    if rules.sheet is not None:
        return f"{count}, {translate(Said('sheet {sheet}', sheet=rules.sheet), language)}"
    if rules.separator is None:
        return f"{count}, {program}"
    words = translate(
        Said(
            "separator {separator}, {header}, encoding {encoding}, decimal mark {decimal}, dates {dates}",
            separator=repr(rules.separator),
            header=HEADER[bool(rules.header)],
            encoding=rules.encoding,
            decimal=rules.decimal,
            dates=rules.date_format or "ISO",
        ),
        language,
    )
    return f"{count}, {words}"
