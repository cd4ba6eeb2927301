"""What a person should know of a file before its recipe is run, in a sentence each; and its columns as plain data."""

from __future__ import annotations

from collections.abc import Iterator

from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.frame.schema import Role
from sekisho.data.shape import Shape
from sekisho.gate.profiling.hints import Sign
from sekisho.gate.profiling.look import FileLook
from sekisho.report.pages.own_file.schema_text import list_column_hints
from sekisho.report.pages.own_file.words import ROLES, SHAPES, say_hint, say_hints, say_twin, say_uniques
from sekisho.words import Language, Said, translate

TOLD = frozenset(
    {Sign.HOLDS, Sign.POSTAL, Sign.LONG_TEXT, Sign.REMARKS, Sign.CONSTANT, Sign.NAMES_PEOPLE}
    | {Sign.ALL_MISSING, Sign.MISSING_CATEGORY, Sign.MISSING_DROP, Sign.MISSING_MANY, Sign.THOUSANDS}
    | {Sign.OTHER_DATES, Sign.TAIL, Sign.FAR, Sign.TRANSACTION}
)
"""Signs that ask for a person's eye, whatever the role."""
NO_SENSITIVE = Said("no column seems sensitive: give one the role sensitive if its value must stay hidden")
NO_QUASI = Said("no column seems to be known to others: give one the role quasi, or the gate has nothing to protect")
DOUBTED = Said(
    "the first line was taken for names of columns, and hardly anything but its being different says so: if it is a "
    "row of data, do not keep the schema, put a line of names above it"
)
HEADER = {True: Said("with header"), False: Said("no header")}


def list_advice(look: FileLook, language: Language) -> list[str]:
    """Return what to look at before the recipe is run."""
    return list(_give_advice(look, language))


def _give_advice(look: FileLook, language: Language) -> Iterator[str]:
    if look.doubts_names:
        yield translate(DOUBTED, language)
    if look.file.twin:
        yield translate(say_twin(look.file.twin), language)
    yield from _tell_columns(look, language)
    if look.assumed:
        yield translate(
            Said(
                "nothing says what these are, so they are taken for known to others, the careful way: {names}; if "
                'that is wrong, say role = "sensitive" or "other" in the schema, or delete the column there, which '
                "leaves it out",
                names=", ".join(look.assumed),
            ),
            language,
        )
    if look.shape is Shape.RECORDS and not look.list_role(Role.SENSITIVE):
        yield translate(NO_SENSITIVE, language)
    if look.shape is Shape.RECORDS and look.uniques is None:
        yield translate(NO_QUASI, language)
    if look.uniques is not None:
        yield from (translate(words, language) for words in say_uniques(look.uniques))


def _tell_columns(look: FileLook, language: Language) -> Iterator[str]:
    for guess in look.roles:
        for hint in list_column_hints(guess, is_history=look.shape is Shape.HISTORY):
            if hint.sign in TOLD:
                yield f"{guess.look.name}: {translate(say_hint(hint), language)}"


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
            "released": rules is not None and guess.role is not Role.IDENTIFIER,
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


def summarise_look(look: FileLook, language: Language, files: list[str], recipe: str) -> str:
    """Return what a file is, in lines for people."""
    width = max(len(each.name) for each in look.columns)
    shape = f"{translate(SHAPES[look.shape], language)} ({translate(say_hints(look.guess.hints), language)})"
    lines = [f"{look.path.name}: {shape}", describe_form(look.file.rules, look.file.rows, language, look.file.program)]
    for guess in look.roles:
        role = translate(ROLES[guess.role], language)
        lines.append(f"  {guess.look.name:<{width}}  {role}: {translate(say_hints(guess.hints), language)}")
    if look.schema is None:
        lines += [f"  {one['name']:<{width}}  {one['role'] or '-'}" for one in describe_columns(look, language)]
    written = translate(
        Said("written: {files}; then: sekisho gate {recipe}", files=", ".join(files), recipe=recipe), language
    )
    return "\n".join([*lines, written])


def describe_form(rules: FileRules, rows: int, language: Language, program: str) -> str:
    """Return how a file is written, in words."""
    count = translate(Said("{rows:,} rows", rows=rows), language)
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
