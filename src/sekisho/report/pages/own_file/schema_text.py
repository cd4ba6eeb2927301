"""The schema that is proposed for a file, with the reason of each guess beside it."""

from __future__ import annotations

from shlex import quote

from sekisho.data.files.schema_files.schema_file import MISSING_TEXTS, ColumnRules
from sekisho.data.frame.schema import Role
from sekisho.data.shape import Shape
from sekisho.gate.profiling.hints import Hint, Sign, make_hint
from sekisho.gate.profiling.look import FileLook
from sekisho.gate.profiling.role_guess import RoleGuess
from sekisho.report.pages.own_file.toml_text import TomlText
from sekisho.report.pages.own_file.words import ROLES, SHAPES, say_hint, say_hints, say_twin
from sekisho.words import Language, Said, translate

KEYS = Said("Every key: docs/guide/schema.md")
FILE_KEYS = (*("separator", "encoding", "sheet", "header", "header_line", "header_lines", "footer_lines", "decimal"),)
LEFT_OUT = Said("Left out, and why:")


def list_column_hints(guess: RoleGuess, *, is_history: bool = False) -> tuple[Hint, ...]:
    """Return all that there is to say of a column: why it is what it is, then what is odd about it."""
    look, more = guess.look, list[Hint]()
    if look.thousands:
        more.append(make_hint(Sign.THOUSANDS))
    if look.unread_dates:
        more.append(make_hint(Sign.OTHER_DATES))
    if guess.role in {Role.QUASI, Role.SENSITIVE}:
        if look.single:
            more.append(make_hint(Sign.ALONE, single=look.single))
        more += [
            make_hint(Sign.FAR, limit=tail.limit, rows=tail.rows)
            if is_history
            else make_hint(Sign.TAIL, asked=quote(f"{look.name}={tail.limit}"), side=tail.side, rows=tail.rows)
            for tail in look.tails
        ]
    return (*guess.hints, *more)


def write_schema(look: FileLook, language: Language) -> bytes:
    """Return the schema of a history or records as a file."""
    if look.schema is None:
        return b""
    text, rules = TomlText(), look.schema.schema.file
    text.say(
        translate(
            Said(
                "What {name} is, as it seems. Look at each role: a wrong one makes the gate protect the wrong thing.",
                name=look.path.name,
            ),
            language,
        ),
        translate(KEYS, language),
    )
    text.set("shape", look.shape.value, translate(SHAPES[look.shape], language))
    text.say(translate(say_hints(look.guess.hints), language))
    text.open("[file]")
    for name in FILE_KEYS:
        value = getattr(rules, name)
        if value is not None:
            text.set(name, value)
    if rules.date_format:
        twin = translate(say_twin(look.file.twin), language) if look.file.twin else ""
        text.set("date_format", rules.date_format, twin)
    if rules.missing != MISSING_TEXTS:
        text.set("missing", list(rules.missing))
    left, is_history = list[RoleGuess](), look.shape is Shape.HISTORY
    for guess, column in zip(look.roles, look.schema.rules, strict=True):
        if column is None:
            left.append(guess)
        else:
            _write_column(text, guess, column, language, is_history=is_history)
    if left:
        text.lines.append("")
        text.say(translate(LEFT_OUT, language))
        text.say(
            *(
                f"- {each.look.name}: {translate(say_hints(list_column_hints(each, is_history=is_history)), language)}"
                for each in left
            )
        )
    return text.render()


def _write_column(
    text: TomlText, guess: RoleGuess, column: ColumnRules, language: Language, *, is_history: bool
) -> None:
    text.open("[[columns]]")
    text.say(translate(say_hints(guess.hints), language))
    more = list_column_hints(guess, is_history=is_history)[len(guess.hints) :]
    text.say(*(translate(say_hint(hint), language) for hint in more))
    text.set("name", column.output_name)
    if column.source_name != column.output_name:
        text.set("source", column.source_name)
    if column.kind is not None:
        text.set("kind", column.kind.value)
    text.set("role", column.role.value, translate(ROLES[column.role], language))
    if column.missing is not None:
        text.set("missing", column.missing.value)
    if column.means is not None:
        text.set("means", column.means.value)
