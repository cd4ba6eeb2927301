"""``sekisho tree``: offer a tree for a column, show what its steps come to, check it against data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, parse_fraction, say
from sekisho.cli.kit.choices import TYPER
from sekisho.cli.kit.files import refuse_overwriting
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.options import expand_options
from sekisho.cli.shapes.file_options import OwnFileOptions, SchemaPath, open_and_say
from sekisho.cli.shapes.files import choose_rules
from sekisho.data.files.whole_files import check_paths
from sekisho.data.frame.dataset import Dataset
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.rule_labels import apply_rule
from sekisho.data.trees.rule_proposal import join_rare, propose_rule
from sekisho.data.trees.tree_column import TreeColumn
from sekisho.data.trees.tree_edits import list_strange_rows
from sekisho.data.trees.tree_files import read_edges, read_tree
from sekisho.data.trees.tree_rule import (
    CategorySteps,
    CodeSteps,
    DateSteps,
    DateUnit,
    NumberSteps,
    TreeRule,
    find_rule_path,
    open_tree,
    read_rule,
    write_tree_files,
)
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.gate.rulebooks import read_terms, rules_path
from sekisho.report.kit.blocks import TableBlock
from sekisho.report.kit.text import Plain
from sekisho.safety.records.tree_steps import KeyStep, StepCount, count_steps, list_steps
from sekisho.safety.terms import RecordTerms
from sekisho.words import Said, join_words, translate

app = typer.Typer(
    help="Trees of a column's values: offer one, show what its steps come to, check it against data.",
    no_args_is_help=True,
    **TYPER,
)
ColumnName = Annotated[str, typer.Option("--column", help="The column whose values are the tree's leaves.")]
Keys = Annotated[str, typer.Option("--keys", help="Columns a,b that are known, too: classes are of all together.")]
TreeFile = Annotated[
    Path, typer.Argument(metavar="TREE", help="A tree: leaf;step;…;* a line, node,parent pairs, or .hrc.")
]
SHOWN = 3
"""So many labels of a step are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOptions:
    """Which steps a tree has; if nothing is said, they are offered."""

    rule: Annotated[Path | None, typer.Option("--rule", help="Make the tree as this COLUMN.rule.toml says.")] = None
    width: Annotated[str, typer.Option("--width", help="Of numbers: intervals of this width.")] = ""
    low: Annotated[str, typer.Option("--low", help="With --width: all below is one interval.")] = ""
    high: Annotated[str, typer.Option("--high", help="With --width: all from here on is one interval.")] = ""
    edges: Annotated[str, typer.Option("--edges", help="Of numbers: where intervals begin, 18,40,65.")] = ""
    quantiles: Annotated[
        int | None, typer.Option("--quantiles", help="Of numbers: so many intervals of about as many people.")
    ] = None
    joins: Annotated[
        str, typer.Option("--joins", help="Of numbers: how many neighbours become one, step by step, 2,2.")
    ] = ""
    units: Annotated[
        str, typer.Option("--units", help="Of dates: day, month, quarter, year, 5 years, 10 years; several by commas.")
    ] = ""
    first_year: Annotated[
        int | None, typer.Option("--first-year", help="Of dates: a year in which a period of 5 or 10 years begins.")
    ] = None
    lengths: Annotated[str, typer.Option("--lengths", help="Of codes: lengths of prefixes, 3,2.")] = ""
    rare: Annotated[
        int | None, typer.Option("--rare", min=2, help="Of categories: join values that fewer people have.")
    ] = None

    def choose(self, column: TreeColumn) -> TreeRule:
        """Return the rule that is asked for, or the one that is offered.

        Raises:
            ParameterError: two ways to make a tree are asked for, or one that is none.
        """
        ways = {
            "--rule": self.rule,
            "--width": self.width or self.low or self.high or self.edges or self.quantiles or self.joins,
            "--units": self.units or self.first_year,
            "--lengths": self.lengths,
            "--rare": self.rare,
        }
        given = [name for name, value in ways.items() if value]
        if len(given) > 1:
            rule = Said("not be given beside {other}: a tree is made in one way", other=given[0])
            raise ParameterError(given[1], rule, ways[given[1]])
        if self.rule is not None:
            return replace(read_rule(self.rule).rule, column=column.name)
        if ways["--width"]:
            return TreeRule(column=column.name, number=self._read_numbers())
        if ways["--units"]:
            units = _read_units(self.units)
            return TreeRule(column=column.name, date=DateSteps(units=units, first_year=self.first_year))
        if self.lengths:
            return TreeRule(column=column.name, code=CodeSteps(lengths=_read_whole("--lengths", self.lengths)))
        other = translate(Said("group|other"), chosen_language())
        if self.rare is not None:
            group = join_rare(column, people=self.rare, other=other)
            return TreeRule(column=column.name, category=CategorySteps(steps=() if group is None else (group,)))
        return propose_rule(column, other=other)

    def _read_numbers(self) -> NumberSteps:
        def read(name: str, text: str) -> Fraction | None:
            return parse_fraction(name, text) if text else None

        return NumberSteps(
            width=read("--width", self.width),
            low=read("--low", self.low),
            high=read("--high", self.high),
            edges=tuple(parse_fraction("--edges", part) for part in self.edges.split(",") if part),
            quantiles=self.quantiles,
            joins=_read_whole("--joins", self.joins),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherKeys:
    """The keys beside the column: the files of their trees, and the steps at which they are written."""

    names: tuple[str, ...]
    trees: Mapping[str, Path]
    steps: Mapping[str, int]

    @classmethod
    def read(cls, names: Sequence[str], trees: Sequence[str], steps: Sequence[str]) -> OtherKeys:
        """Return what options say.

        Raises:
            ParameterError: a tree or a step is of no key, or is none.
        """
        files = {name: Path(path) for name, path in _split_pairs("--tree", trees).items()}
        levels = {name: _read_step(step) for name, step in _split_pairs("--step", steps).items()}
        strange = [name for name in (*files, *levels) if name not in names]
        if strange:
            rule = Said("name {names}, whose tree or step is given", names=", ".join(strange))
            raise ParameterError("--keys", rule, ",".join(names))
        return cls(names=tuple(names), trees=files, steps=levels)

    def list_steps(self, data: Dataset) -> list[KeyStep]:
        """Return the keys of some data, as they are written."""
        return [
            KeyStep(
                column=TreeColumn.of(data, name),
                tree=read_tree(self.trees[name]) if name in self.trees else None,
                step=self.steps.get(name, 0),
            )
            for name in self.names
        ]


def _read_units(text: str) -> tuple[DateUnit, ...]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    strange = [word for word in words if word not in list(DateUnit)]
    if strange:
        raise ParameterError("--units", Said("be one of {choices}", choices=", ".join(DateUnit)), strange[0])
    return tuple(map(DateUnit, words))


def _read_step(text: str) -> int:
    if not text.isdecimal() or len(text) > 4:
        raise ParameterError("--step", Said("be COLUMN=STEP, a whole number from 0"), text)
    return int(text)


def _read_whole(name: str, text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise ParameterError(name, Said("be whole numbers with commas between them"), text)
    return tuple(map(int, parts))


@app.command("propose")
@expand_options
def propose(
    *,
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="FILE", help="The data: CSV, workbook, Parquet, SPSS, Stata, SAS.")],
    column: ColumnName,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write the tree here, and its rule beside it as COLUMN.rule.toml; else only show."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a tree or rule that is there.")] = False,
    keys: Keys = "",
    steps: StepOptions,
    schema: SchemaPath = "",
    own: OwnFileOptions,
    as_json: AsJson = False,
) -> None:
    """Offer a tree for a column: intervals of numbers, periods of dates, prefixes of codes, rare categories together.

    Shows how many values, classes and people alone each step leaves. Groups by hand are written into the tree's file or
    its rule, of which `--rule` makes the tree anew.

    Example: `sekisho tree propose people.csv --column age --out age.tree.csv`
    """
    writes = {} if out is None else {"--out": out, "the rule": find_rule_path(out)}
    data = _read_data(context, source, schema, own, reads=[steps.rule], writes=writes)
    refuse_overwriting(writes.values(), force=force)
    values = TreeColumn.of(data, column)
    rule = steps.choose(values)
    tree = apply_rule(rule, values)
    others = OtherKeys.read([name for name in keys.split(",") if name not in {"", column}], (), ())
    counts = count_steps(values, tree, others.list_steps(data))
    files = {} if out is None else write_tree_files(tree, out, rule)
    lines: list[str] = [
        Said(
            "{column}: a tree of kind {kind} above {values:,} values",
            column=column,
            kind=rule.kind,
            values=len(tree.leaves),
        ),
        *_tell_groups(rule),
        _show_counts(counts.steps),
        *([Said("written: {files}", files=", ".join(map(str, files)))] if files else [Said("not written: give --out")]),
    ]
    answer = {"rule": rule.as_dict(), **counts.as_dict(), "files": [str(path) for path in files]}
    Answer(keys=answer, words=join_words(lines, "\n"), files=files).deliver(as_json=as_json)


@app.command("show")
@expand_options
def show(
    *,
    context: typer.Context,
    file: TreeFile,
    source: Annotated[Path | None, typer.Option("--data", help="Count classes and people alone in these data.")] = None,
    column: Annotated[str, typer.Option("--column", help="With --data: the column whose tree it is.")] = "",
    keys: Keys = "",
    trees: Annotated[
        list[str] | None, typer.Option("--tree", help="The tree of another key, b=FILE; repeated.")
    ] = None,
    at: Annotated[
        list[str] | None, typer.Option("--step", help="The step at which another key is written, b=1; repeated.")
    ] = None,
    schema: SchemaPath = "",
    own: OwnFileOptions,
    as_json: AsJson = False,
) -> None:
    """Show the steps of a tree; with data how many values, classes and people alone each leaves.

    Counts are of the file as it is: other keys stand as they are, or at the step that `--step` says.

    Example: `sekisho tree show age.tree.csv --data people.csv --column age --keys sex,town`
    """
    opened = open_tree(file)
    for remark in opened.remarks:
        say(remark)
    rule = None if opened.rule is None else opened.rule.as_dict()
    if source is None:
        _refuse_without_data(column=column, keys=keys, tree=trees, step=at)
        keys_of_tree = {"rule": rule, **_describe_tree(opened.tree)}
        Answer(keys=keys_of_tree, words=_show_tree(opened.tree)).deliver(as_json=as_json)
    if not column:
        raise ParameterError("--column", Said("be given beside --data"), None)
    chosen = OtherKeys.read([name for name in keys.split(",") if name not in {"", column}], trees or (), at or ())
    data = _read_data(context, source, schema, own, reads=[file, *chosen.trees.values()])
    counts = count_steps(TreeColumn.of(data, column), opened.tree, chosen.list_steps(data))
    words = join_words([_show_counts(counts.steps), *counts.tell_strangers()], "\n")
    Answer(keys={"rule": rule, **counts.as_dict()}, words=words).deliver(as_json=as_json)


@app.command("check")
@expand_options
def check(
    *,
    context: typer.Context,
    file: TreeFile,
    source: Annotated[Path, typer.Option("--data", help="The data whose values must be leaves.")],
    column: ColumnName,
    schema: SchemaPath = "",
    own: OwnFileOptions,
    as_json: AsJson = False,
) -> None:
    """Check that a file is a tree and that every value of a column is one of its leaves: all faults at once.

    A value with two parents is named with its rows in the tree, a value that is no leaf with the first row that has it.

    Example: `sekisho tree check age.tree.csv --data people.csv --column age`
    """
    data = _read_data(context, source, schema, own, reads=[file])
    values, edges = TreeColumn.of(data, column), read_edges(file)
    faults = list[Fault]()
    try:
        edges.build()
    except FaultsError as error:
        faults += [
            replace(fault, message=Said("{source}: {reason}", source=file, reason=fault.message))
            for fault in error.faults
        ]
    faults += [
        replace(fault, message=Said("{source}: {reason}", source=source, reason=fault.message))
        for fault in list_strange_rows(edges.leaves, values)
    ]
    if faults:
        raise FaultsError(file, faults)
    present = values.drop_gaps()
    unused = len(edges.leaves) - len(present.texts)
    words = Said(
        "{file} is a tree, and all {values:,} values of {column} are among its {leaves:,} leaves",
        file=file,
        values=len(present.texts),
        column=column,
        leaves=len(edges.leaves),
    )
    answer = {"valid": True, "values": len(present.texts), "leaves": len(edges.leaves), "unused": unused, "errors": []}
    Answer(keys=answer, words=words).deliver(as_json=as_json)


def _read_data(
    context: typer.Context,
    source: Path,
    schema: str,
    own: OwnFileOptions,
    *,
    reads: Sequence[Path | None] = (),
    writes: Mapping[str, Path] | None = None,
) -> Dataset:
    named = choose_rules(context, "", schema, frozenset({Shape.RECORDS}))
    check_paths(reads=[source, *reads, None if named is None else rules_path(named)], writes=writes or {})
    terms = own.rules(Shape.RECORDS, source) if named is None else read_terms(named)
    if isinstance(terms, RecordTerms):
        return open_and_say(source, terms)[0]
    return open_and_say(source, terms)[0]


def _refuse_without_data(**options: object) -> None:
    for name, value in options.items():
        if value:
            raise ParameterError(f"--{name}", Said("be given beside --data"), value)


def _split_pairs(option: str, words: Sequence[str]) -> dict[str, str]:
    pairs = [word.partition("=") for word in words]
    for (name, _, value), word in zip(pairs, words, strict=True):
        if not name or not value:
            raise ParameterError(option, Said("be COLUMN=VALUE"), word)
    return {name: value for name, _, value in pairs}


def _describe_tree(tree: Tree) -> dict[str, object]:
    steps = [
        {"step": step, "values": len(labels), "shown": list(labels[:SHOWN])}
        for step, labels in enumerate(list_steps(tree))
    ]
    return {"leaves": len(tree.leaves), "steps": steps}


def _tell_groups(rule: TreeRule) -> list[Said]:
    """Return what each group of categories holds: nothing is joined silently."""
    steps = () if rule.category is None else rule.category.steps
    return [
        Said("{group} holds {members}", group=name, members=", ".join(held))
        for step in steps
        for name, held in step.groups.items()
    ]


def _show_counts(steps: Sequence[StepCount]) -> str:
    rows = tuple(
        (f"{each.step}", f"{each.values:,}", f"{each.classes:,}", f"{each.alone:,}", _shorten(each.shown, each.values))
        for each in steps
    )
    head = (Said("step"), Said("values"), Said("classes"), Said("alone"), Said("such as"))
    return TableBlock(head=head, rows=rows, numeric=(0, 1, 2, 3)).render(Plain(language=chosen_language()))


def _show_tree(tree: Tree) -> str:
    rows = tuple(
        (f"{step}", f"{len(labels):,}", _shorten(labels[:SHOWN], len(labels)))
        for step, labels in enumerate(list_steps(tree))
    )
    head = (Said("step"), Said("values"), Said("such as"))
    return TableBlock(head=head, rows=rows, numeric=(0, 1)).render(Plain(language=chosen_language()))


def _shorten(labels: Sequence[str], values: int) -> str:
    return ", ".join(labels) + (", …" if values > len(labels) else "")
