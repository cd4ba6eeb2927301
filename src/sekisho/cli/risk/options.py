"""The options of ``sekisho risk``, in groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from sekisho.cli.kit.files import Encoding, Header, Kinds, Separator, Sheet
from sekisho.safety.records.closeness import Distance
from sekisho.safety.records.reidentification import LIMIT


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
