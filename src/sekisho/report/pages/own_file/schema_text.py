"""The schema that is proposed for a file, with the reason of each guess beside it, and what is left out of it."""

from __future__ import annotations

from shlex import quote

from sekisho.data.files.schema_files.schema_file import MISSING_TEXTS, ColumnRules
from sekisho.data.files.toml_text import TomlText
from sekisho.data.frame.dataset import Role
from sekisho.data.shape import Shape
from sekisho.gate.profiling.column_look import ColumnLook
from sekisho.gate.profiling.hints import Hint, Sign, make_hint
from sekisho.gate.profiling.look import FileLook, SchemaGuess
from sekisho.gate.profiling.role_guess import RoleGuess
from sekisho.report.pages.own_file.words import ROLES, say_hint, say_hints, say_shape
from sekisho.words import Language, Said, translate

KEYS = Said("Every key: docs/guide/schema.md")
LEFT_OUT = Said("Left out, and why. To have a column read, remove the marks before its lines:")
HARMLESS = Said(
    "Columns that leave and of which nothing need be promised, each with a reason. They stay open until you sign: "
    "remove the mark before [harmless] and before each line that you agree with."
)
SIGNED_BELOW = Said("it stays open until you sign the reason at the end of this file")
FILE_KEYS = (
    *("separator", "encoding", "header", "header_line", "header_lines", "footer_lines", "sheet", "decimal"),
    "date_format",
)


def list_column_hints(guess: RoleGuess, *, is_history: bool = False) -> tuple[Hint, ...]:
    """Return all that there is to say of a column: why it is what it is, then what is odd about it."""
    look, more = guess.look, list[Hint]()
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
    return b"" if look.schema is None else _write_text(look, look.schema, language).render()


def find_schema_lines(look: FileLook) -> dict[str, int]:
    """Return by the name of each column the line of the schema that says its role, or would if it were read."""
    return {} if look.schema is None else _write_text(look, look.schema, Language.EN).places


def _write_text(look: FileLook, guess: SchemaGuess, language: Language) -> TomlText:
    text = TomlText()
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
    text.set("shape", look.shape.value, translate(say_shape(look.guess), language))
    text.say(translate(say_hints(look.guess.hints), language))
    _write_file(text, guess)
    is_history = look.shape is Shape.HISTORY
    for role, column in zip(guess.roles, guess.rules, strict=True):
        if column is not None:
            _write_column(text, role, column, language, is_history=is_history)
    left = [role for role in guess.roles if role.role is None]
    if left:
        text.lines.append("")
        text.say(translate(LEFT_OUT, language))
        text.say(translate(say_hint(make_hint(Sign.NAMES_PEOPLE)), language))
    for role, column in zip(left, guess.offered, strict=True):
        _offer_column(text, role, column, language)
    _offer_reasons(text, guess, language)
    return text


def _offer_reasons(text: TomlText, guess: SchemaGuess, language: Language) -> None:
    """Offer a reason for each column that says nothing about a person, for a person to read and sign."""
    offered = {
        column.output_name: translate(say_harmless(role.look), language)
        for role, column in zip(guess.roles, guess.rules, strict=True)
        if column is not None and column.role is Role.OTHER
    }
    if offered:
        text.lines.append("")
        text.say(translate(HARMLESS, language), "[harmless]")
    for name, reason in offered.items():
        text.offer(name, reason)


def say_harmless(look: ColumnLook) -> Said:
    """Return why nothing need be promised of a column, counted in the file; a sentence of 20 letters at least."""
    least = int(look.text.drop_nulls().unique_counts().to_numpy().min(initial=look.rows))
    if look.distinct == 1:
        return Said("one and the same value in {rows:,} {rows:row|rows}", rows=least)
    return Said(
        "{distinct} {distinct:value|values}, each in at least {least:,} {least:row|rows}",
        distinct=look.distinct,
        least=least,
    )


def _write_file(text: TomlText, guess: SchemaGuess) -> None:
    rules = guess.schema.file
    text.open("[file]")
    for name in FILE_KEYS:
        value = getattr(rules, name)
        if value is not None and value != "":
            text.set(name, value)
    if rules.missing != MISSING_TEXTS:
        text.set("missing", list(rules.missing))


def _write_column(
    text: TomlText, guess: RoleGuess, column: ColumnRules, language: Language, *, is_history: bool
) -> None:
    text.open("[[columns]]")
    text.say(translate(say_hints(guess.hints), language))
    more = list_column_hints(guess, is_history=is_history)[len(guess.hints) :]
    text.say(*(translate(say_hint(hint), language) for hint in more))
    if column.role is Role.OTHER:
        text.say(translate(SIGNED_BELOW, language))
    _set_keys(text, guess, column, language)


def _offer_column(text: TomlText, guess: RoleGuess, column: ColumnRules, language: Language) -> None:
    text.lines.append("")
    reasons = [hint for hint in guess.hints if hint.sign is not Sign.NAMES_PEOPLE]
    text.say(f"{guess.look.name}: {translate(say_hints(reasons), language)}")
    offered = TomlText()
    offered.lines.append("[[columns]]")
    _set_keys(offered, guess, column, language)
    first = len(text.lines)
    text.lines += [f"# {line}" for line in offered.lines]
    text.places[guess.look.name] = first + offered.places[guess.look.name]


def _set_keys(text: TomlText, guess: RoleGuess, column: ColumnRules, language: Language) -> None:
    if guess.look.label:
        text.say(guess.look.label)
    text.set("name", column.output_name)
    if column.source_name != column.output_name:
        text.set("source", column.source_name)
    if column.kind is not None:
        text.set("kind", column.kind.value)
    if column.format:
        text.set("format", column.format)
    text.mark(guess.look.name)
    text.set("role", column.role.value, translate(ROLES[column.role], language))
    if column.missing is not None:
        text.set("missing", column.missing.value)
    if column.missing_texts:
        text.set("missing_texts", list(column.missing_texts))
    if column.means is not None:
        text.set("means", column.means.value)
