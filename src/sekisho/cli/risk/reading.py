"""The file of ``sekisho risk``, read: keys and sensitive columns coded, weights as numbers, the population matched.

The options of ``sekisho risk``, in groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import say
from sekisho.cli.kit.files import Encoding, Header, Kinds, Separator, Sheet
from sekisho.data.files.schema_files.schema_file import MISSING_TEXTS, FileRules, Missing, SaidKind, SchemaFile
from sekisho.data.frame.dataset import Role
from sekisho.data.records.text_table import TextTable, read_text_table
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import ParameterError
from sekisho.gate.rulebooks import read_record_terms
from sekisho.safety.records.assessment import KeyedRecords
from sekisho.safety.records.closeness import Distance
from sekisho.safety.records.key_choice import KeyChoice
from sekisho.safety.records.reidentification import LIMIT
from sekisho.safety.records.text_records import TextRecords
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleOptions:
    """Which columns say what."""

    keys: Annotated[
        str,
        typer.Option("--keys", help="What may be known of a person: columns a,b,c; if not given, the schema's quasi."),
    ] = ""
    sensitive: Annotated[
        str, typer.Option("--sensitive", help="What must stay hidden: columns a,b; if not given, as the schema says.")
    ] = ""
    weights: Annotated[
        str, typer.Option("--weights", help="The column of sampling weights: how many people a record stands for.")
    ] = ""
    identifier: Annotated[
        str, typer.Option("--id", help="The column that says whose each record is: never a key, never shown.")
    ] = ""
    household: Annotated[
        str,
        typer.Option("--household", help="The column that says who lives together; if not given, as the schema says."),
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskFileOptions:
    """How the file is written."""

    schema: Annotated[
        str, typer.Option("--schema", help="A schema of the file, in TOML: roles, kinds, missing cells.")
    ] = ""
    separator: Separator = None
    header: Header = None
    encoding: Encoding = None
    sheet: Sheet = None
    missing: Annotated[
        str,
        typer.Option(
            "--missing",
            help="What becomes of missing cells: carry (a value of its own, if not said), drop or refuse; or texts "
            "that mean missing, NA,NULL.",
        ),
    ] = ""
    kinds: Kinds = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOptions:
    """What is asked."""

    population: Annotated[
        str,
        typer.Option(
            "--population",
            help="Of a sample: how many people there are (126000000), the sampling fraction (0.01), or their file.",
        ),
    ] = ""
    suda: Annotated[
        bool, typer.Option("--suda", help="Look for special uniques (SUDA2): whom few columns single out, by row.")
    ] = False
    largest: Annotated[
        int | None,
        typer.Option("--sets", help="The largest set of keys looked at; if not given, so that 5,000 at most are."),
    ] = None
    missing_matches: Annotated[
        bool, typer.Option("--missing-matches", help="A missing cell matches every value, as in sdcMicro.")
    ] = False
    distance: Annotated[
        Distance | None,
        typer.Option("--distance", help="Of sensitive values, for t; by a tree, by order or equal if not given."),
    ] = None
    trees: Annotated[
        list[str] | None, typer.Option("--tree", help="A tree of a sensitive column, a=FILE; repeated.")
    ] = None
    limit: Annotated[
        float, typer.Option("--limit", min=0.0, max=1.0, help="A chance of being found above this counts as high.")
    ] = LIMIT


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedOptions:
    """What must hold: exit status 1 if it does not."""

    k: Annotated[int | None, typer.Option("--k", min=1, help="Wanted: the least size of a class.")] = None
    l: Annotated[int | None, typer.Option("--l", min=1, help="Wanted: the least distinct diversity.")] = None
    t: Annotated[
        float | None, typer.Option("--t", min=0.0, max=1.0, help="Wanted: the largest distance of a class.")
    ] = None


def read_keyed_records(
    path: Path, roles: RoleOptions, file: RiskFileOptions, question: QuestionOptions
) -> KeyedRecords:
    """Return the records of a file and say how it was read."""
    schema, treatment = settle_schema(file)
    table = read_text_table(path, schema)
    choice = choose_columns(roles, table.roles)
    choice.check(table.names, source=str(path))
    _say_reading(path, table)
    records = TextRecords(
        table=table,
        choice=choice,
        schema=schema,
        missing=treatment,
        trees=read_trees(question.trees or (), choice.sensitive),
        population=question.population,
        source=str(path),
    ).code()
    if len(records) < table.frame.height:
        say(Said("{dropped:,} records dropped: a cell is missing", dropped=table.frame.height - len(records)))
    return records


def choose_columns(options: RoleOptions, roles: Mapping[str, Role]) -> KeyChoice:
    """Return the columns that options name, and where they name none, those of the roles that a schema gives them."""
    by_role = {role: tuple(name for name, each in roles.items() if each is role) for role in Role}
    sensitive = split_names(options.sensitive) or by_role[Role.SENSITIVE]
    identifier = options.identifier or next(iter(by_role[Role.IDENTIFIER]), "")
    household = options.household or next(iter(by_role[Role.HOUSEHOLD]), "")
    taken = {*sensitive, options.weights, household}
    keys = split_names(options.keys) or tuple(name for name in by_role[Role.QUASI] if name not in taken)
    return KeyChoice(
        keys=keys, sensitive=sensitive, weights=options.weights, identifier=identifier, household=household
    )


def split_names(text: str) -> tuple[str, ...]:
    """Return the columns that an option names."""
    return tuple(part for part in text.split(",") if part)


def settle_schema(file: RiskFileOptions) -> tuple[SchemaFile, Missing]:
    """Return how the file is written, and what becomes of missing cells."""
    if not file.schema:
        treatment = next((one for one in Missing if one.value == file.missing), None)
        texts = split_names(file.missing) if treatment is None else ()
        rules = FileRules(
            separator=file.separator,
            header=file.header,
            encoding=file.encoding,
            sheet=file.sheet,
            missing=("", *texts) if texts else MISSING_TEXTS,
        )
        said = tuple(map(SaidKind.parse, file.kinds or ()))
        return SchemaFile(shape=Shape.RECORDS, file=rules, said=said), treatment or Missing.CATEGORY
    given = {
        "--separator": file.separator,
        "--header": file.header,
        "--encoding": file.encoding,
        "--sheet": file.sheet,
        "--missing": file.missing or None,
        "--kind": file.kinds or None,
    }
    for name, value in given.items():
        if value is not None:
            raise ParameterError(name, Said("not be given beside --schema, which says how the file is written"), value)
    layout = read_record_terms(file.schema).layout
    if layout.strict:
        raise ParameterError("--schema", Said("be a schema of one's own data"), file.schema)
    return layout.described, Missing.CATEGORY


def _say_reading(path: Path, table: TextTable) -> None:
    say(Said("{path}: {form}; {whole:,} records", path=path, form=table.form, whole=table.frame.height))
    for notice in table.notices:
        say(str(notice))


def read_trees(words: Sequence[str], sensitive: Sequence[str]) -> dict[str, Tree]:
    """Return the trees of sensitive columns, each given as ``a=FILE``."""
    trees = dict[str, Tree]()
    for word in words:
        name, _, file = word.partition("=")
        if not file or name not in sensitive or name in trees:
            rule = (
                Said("be a=FILE, once for each of the sensitive columns ({sensitive})", sensitive=", ".join(sensitive))
                if sensitive
                else Said("be a=FILE, once for each of the sensitive columns (none is named)")
            )
            raise ParameterError("tree", rule, word)
        trees[name] = read_tree(Path(file))
    return trees
