"""The options of the table commands, in groups that several of them take, and how files are read as they say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import say
from sekisho.cli.kit.files import DecimalMark, Encoding, Kinds, Report, Separator, Sheet
from sekisho.cli.kit.progress import show_progress
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.files.schema_files.schema_file import SaidKind
from sekisho.errors import ParameterError
from sekisho.gate.tables.search import USUAL_SECONDS, MarginCare
from sekisho.tables.files.pattern import MARK
from sekisho.tables.files.records import PLACES, RecordSource
from sekisho.tables.files.source import CellSource, TableRead, choose_cells
from sekisho.tables.files.table_form import TableForm, read_groupings, read_trees
from sekisho.tables.model import margins as table_margins
from sekisho.tables.model.linked.joint import MOST
from sekisho.tables.model.table import Table
from sekisho.tables.rules.table_rules import Price
from sekisho.words import Said


class Solver(StrEnum):
    """Who solves the whole-number problem."""

    AUTO = "auto"
    HIGHS = "highs"
    SCIP = "scip"


Dims = Annotated[str, typer.Option("--dims", help="The dimension columns, separated by commas.")]
OwnDims = Annotated[
    str,
    typer.Option("--dims", help="The dimension columns, separated by commas; .tab and .jj files tell them themselves."),
]
Summed = Annotated[str, typer.Option("--value", help="The column of sums (a magnitude table).")]
Margins = Annotated[
    MarginCare,
    typer.Option(
        "--margins",
        help="keep: totals of totals are hidden only where nothing else helps; free: the cost alone decides.",
    ),
]
Cost = Annotated[Price, typer.Option("--cost", help="What a suppression costs.")]
UseJoint = Annotated[
    bool | None,
    typer.Option(
        "--joint/--no-joint",
        help="Use that no cell of the joint table over all dimensions is below 0; if not said, where the tables form a "
        f"cycle and it has at most {MOST:,} cells.",
    ),
]
Contributor = Annotated[
    str,
    typer.Option(
        "--contributor",
        help="The column that says whose row it is; found out if one repeats. Or row=REASON: why rows count.",
    ),
]
SampleWeight = Annotated[str, typer.Option("--weight", help="The column of sampling weights.")]
PatternFolder = Annotated[Path, typer.Option("--out", help="The folder to write the patterns to.")]
EachPattern = Annotated[
    list[Path], typer.Option("--pattern", help="The pattern of each file, in the files' order; repeated.")
]
Apriori = Annotated[Path | None, typer.Option("--apriori", help="A τ-ARGUS a-priori file (.hst).")]
Microdata = Annotated[bool, typer.Option("--microdata", help="FILE holds records, to be tabulated.")]
PublicMark = Annotated[
    str | None,
    typer.Option("--mark", help=f"What --public writes for each suppressed cell: letters or *; {MARK} if not given."),
]


HiddenMark = Annotated[
    str | None,
    typer.Option("--mark", help="What stands for a suppressed cell in a published FILE; found out if it is letters."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """How a pattern is audited."""

    whole: Annotated[bool, typer.Option("--integer", help="Consider whole tables only: counts.")] = False
    insiders: Annotated[
        int | None,
        typer.Option(
            "--insiders",
            min=0,
            help="Also ask what so many contributors of one cell know; 1 where they are known, 0: outsiders only.",
        ),
    ] = None
    seconds: Annotated[
        float | None,
        typer.Option("--time", help="Seconds after which cells are left unsettled; the answer is then no."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicFile:
    """Where the table is written as it may be published."""

    public: Annotated[
        Path | None,
        typer.Option(
            "--public", help="Write the table as it may be published: CSV or Parquet, one mark for all that is hidden."
        ),
    ] = None
    mark: PublicMark = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicFolder:
    """Where several tables are written as they may be published."""

    public: Annotated[
        Path | None,
        typer.Option(
            "--public",
            help="The folder to write the tables to as they may be published: one mark for all that is hidden.",
        ),
    ] = None
    mark: PublicMark = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions:
    """What the columns of a file of cells hold beside the dimensions."""

    count: Annotated[str, typer.Option("--count", help="The column of counts.")] = ""
    value: Summed = ""
    contributors: Annotated[
        str,
        typer.Option(
            "--contributors", help="The column of the number of contributors, then those of the largest contributions."
        ),
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeOptions:
    """What the codes of the dimensions mean."""

    trees: Annotated[
        list[str] | None, typer.Option("--tree", help="a=FILE: the tree of dimension a (node,parent CSV or .hrc).")
    ] = None
    groupings: Annotated[
        list[str] | None, typer.Option("--grouping", help="a=FILE: further sums of codes of a (group,member CSV).")
    ] = None
    total: Annotated[
        list[str] | None,
        typer.Option("--total", help="Code of margins, as 総数; or a=CODE for dimension a. Common names are known."),
    ] = None
    category: Annotated[
        list[str] | None,
        typer.Option("--category", help="a=CODE: a code of dimension a that is no margin, though it looks like one."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvOptions:
    """How a CSV of cells or records is written."""

    separator: Separator = None
    encoding: Encoding = None
    sheet: Sheet = None
    decimal: DecimalMark = None
    kinds: Kinds = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroOptions:
    """What the columns of microdata hold."""

    contributor: Contributor = ""
    holding: Annotated[str, typer.Option("--holding", help="The column of the holding a contributor belongs to.")] = ""
    weight: SampleWeight = ""
    request: Annotated[str, typer.Option("--request", help="The column that is 1 where protection was asked for.")] = ""
    waiver: Annotated[str, typer.Option("--waiver", help="The column that is 1 where protection was waived.")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationOptions:
    """Which population is a part of which."""

    within: Annotated[
        list[str] | None,
        typer.Option(
            "--within",
            help="PART=WHOLE: one file's people are among another's; without any, each file's are among the one's "
            "before it.",
        ),
    ] = None
    splits: Annotated[
        list[str] | None,
        typer.Option("--split", help="WHOLE=PART,PART: parts of one file's people that have nobody in common."),
    ] = None
    same: Annotated[
        list[str] | None,
        typer.Option("--same", help="LATER=EARLIER: two files are of the very same people; repeated."),
    ] = None
    overlaps: Annotated[
        list[str] | None,
        typer.Option(
            "--overlap", help="LATER=EARLIER,LEFT,CAME: so many people left and came between two files; repeated."
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """Which cells are unsafe, and the level of those whose rule says none."""

    min_count: Annotated[
        int | None,
        typer.Option(
            "--min-count",
            min=0,
            help="Fewest contributors; 5 for counts, whatever other rules there are; 0 switches it off.",
        ),
    ] = None
    width: Annotated[
        float | None,
        typer.Option(
            "--width", min=0, help="How wide an attacker's interval of each unsafe cell must be; 10 for counts."
        ),
    ] = None
    rules: Annotated[
        list[str] | None,
        typer.Option("--rule", help="p%:15, nk:2,85, pq:10,50, min:3, request:70, zeros; may be repeated."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How long to search, and with whom."""

    seconds: Annotated[
        float,
        typer.Option("--time", help="Seconds after which the best so far is taken and certified; 0 for no limit."),
    ] = USUAL_SECONDS
    solver: Annotated[
        Solver,
        typer.Option(
            "--solver",
            help="highs; scip: branch and cut, with the extra sekisho[scip]; auto: scip where installed and better.",
        ),
    ] = Solver.AUTO
    insiders: Annotated[
        int | None,
        typer.Option(
            "--insiders",
            min=0,
            help="Protect also against so many contributors of one cell together, who know what they gave; 1 where "
            "they are known, 0: outsiders only.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryOptions:
    """How much is told beside the answer."""

    report: Report = None
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Tell also what is suppressed by level, why each further cell is, and each interval."
        ),
    ] = False

    @property
    def asked(self) -> bool:
        """Whether anything is."""
        return self.report is not None or self.explain


def say_notices(notices: Iterable[Said]) -> None:
    """Say on stderr what was found out about files."""
    for notice in notices:
        say(notice)


def read_aloud(read: TableRead) -> Table:
    """Return a table that was read, having said on stderr how."""
    say_notices(read.notices)
    return read.table


def tabulate_aloud(records: RecordSource, source: Path, engine: EngineChoice | None) -> TableRead:
    """Return the table of a file of records, beyond memory if an engine is named, having said how it was read."""
    if engine is None:
        read = records.read_table(source)
    else:
        from sekisho.tables.files.scanned_records import read_large_table  # brings an engine, which few calls need

        with show_progress(Said("tabulating")):
            read = read_large_table(records, source, engine)
    say_notices(read.notices)
    return read


def read_columns(
    dims: str, columns: ColumnOptions, form: TableForm, *, source: Path | None = None, guess: bool = False
) -> CellSource:
    """Return how to read a file of cells; to ``guess`` is to take its only other column for the value.

    Raises:
        ParameterError: no dimension, no value column or two of them.
    """
    return choose_cells(
        source,
        form,
        dims=split_names(dims),
        count=columns.count,
        value=columns.value,
        contributors=split_names(columns.contributors),
        guess=guess,
    )


def read_records(
    dims: str, value: str, columns: MicroOptions, form: TableForm, *, places: int = PLACES
) -> RecordSource:
    """Return how to read a file of records."""
    return RecordSource(dims=tuple(split_names(dims)), value=value, **asdict(columns), places=places, form=form)


def split_names(text: str) -> list[str]:
    """Return the names that stand between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def read_form(codes: CodeOptions, csv: CsvOptions) -> TableForm:
    """Return what the options tell of a file, the trees and groupings read.

    Raises:
        ParameterError: a tree or grouping that is not written ``a=FILE``, two margins of one dimension, or a category
            of no dimension.
    """
    groups: dict[str, list[Path]] = {}
    for word in codes.groupings or ():
        name, file = _split_word(word, "grouping")
        groups.setdefault(name, []).append(Path(file))
    return TableForm(
        separator=csv.separator,
        encoding=csv.encoding,
        sheet=csv.sheet,
        decimal=csv.decimal,
        kinds=tuple(map(SaidKind.parse, csv.kinds or ())),
        margins=_read_margins(codes.total or (), codes.category or ()),
        trees=read_trees({name: Path(file) for name, file in map(_split_word, codes.trees or ())}),
        groups=read_groupings(groups),
    )


def code_files(codes: CodeOptions) -> list[Path]:
    """Return the files that the options of the codes name."""
    return [
        Path(_split_word(word, option)[1])
        for option, words in (("tree", codes.trees), ("grouping", codes.groupings))
        for word in words or ()
    ]


def _read_margins(totals: Sequence[str], categories: Sequence[str]) -> table_margins.Margins:
    """Return what words of the form ``CODE`` or ``a=CODE`` say of margins, and ``a=CODE`` of categories."""
    everywhere: str | None = None
    of: dict[str, str] = {}
    for word in totals:
        name, mark, code = map(str.strip, word.partition("="))
        before = of.get(name) if mark else everywhere
        if before not in (None, code if mark else name):
            rule = (
                Said("be one code of {name}, and {before!r} was given", name=name, before=before)
                if mark
                else Said("be one code, and {before!r} was given", before=before)
            )
            raise ParameterError("total", rule, word)
        if mark:
            of[name] = code
        else:
            everywhere = name
    others: dict[str, tuple[str, ...]] = {}
    for word in categories:
        name, code = _split_word(word, "category", what=Said("CODE"))
        others[name] = (*others.get(name, ()), code.strip())
    return table_margins.Margins(everywhere=everywhere, of=of, categories=others)


def _split_word(text: str, option: str = "tree", *, what: str = "FILE") -> tuple[str, str]:
    name, mark, file = text.partition("=")
    if not mark or not name.strip() or not file:
        raise ParameterError(option, Said("be written as a={what}", what=what), text)
    return name.strip(), file
