"""``sekisho compare``: several releases of one file of records, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, AskedSeed, say, settle_seed
from sekisho.cli.kit.files import Report
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.options import LargeOptions, expand_options, split_names, split_pairs
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.kit.review import tell_review
from sekisho.cli.kit.roles import DemandOptions
from sekisho.cli.shapes.file_options import OwnFileOptions, SchemaPath, open_and_say
from sekisho.cli.shapes.files import choose_rules, read_own_terms
from sekisho.data.files.whole_files import check_paths
from sekisho.data.frame.dataset import Dataset
from sekisho.data.shape import Shape
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import ParameterError
from sekisho.gate.outcome import Verdict
from sekisho.gate.recipes.keys import RecipeRelease
from sekisho.gate.records.cell_attacks import PEOPLE
from sekisho.gate.records.comparison import Comparison, ReleaseFigures
from sekisho.gate.records.control_attacks import WITHIN, ControlFiles
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.rulebooks import rules_path
from sekisho.journey.candidates import review_all
from sekisho.provenance import Provenance, digest_file, digest_files
from sekisho.report.kit.blocks import Block
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.risk.comparison import (
    COMPARISON_TITLE,
    comparison_blocks,
    comparison_tables,
    large_comparison_table,
    list_account_sentences,
)
from sekisho.safety.records.key_choice import KeyChoice
from sekisho.words import Said, join_words

if TYPE_CHECKING:
    from sekisho.data.engines.engine import EngineChoice

WIDTH = 150


@expand_options
def compare(
    *,
    context: typer.Context,
    original: Annotated[Path, typer.Argument(metavar="ORIGINAL", help="The records, one row a person.")],
    releases: Annotated[list[Path], typer.Argument(metavar="RELEASE…", help="Releases of them, whatever their cells.")],
    keys: Annotated[
        str, typer.Option("--keys", help="What may be known of a person, a,b,c; all but the sensitive if not given.")
    ] = "",
    sensitive: Annotated[
        str, typer.Option("--sensitive", help="What must stay hidden, a,b; models predict it. As the schema says.")
    ] = "",
    trees: Annotated[
        list[str] | None, typer.Option("--tree", help="What the labels of a key mean: a=FILE; repeated.")
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option(
            "--known", help="Keys that a weaker prosecutor knows, a,b; repeated. The first half if not given."
        ),
    ] = None,
    in_order: Annotated[
        bool, typer.Option("--in-order", help="The rows of every release stand in the original's order.")
    ] = False,
    synthetic: Annotated[
        bool,
        typer.Option(
            "--synthetic", help="The rows of the releases are nobody's; so are those of files with more rows anyway."
        ),
    ] = False,
    deleted: Annotated[
        list[str] | None,
        typer.Option("--deleted", help="Rows left out of a release, the others in order: RELEASE=FILE; repeated."),
    ] = None,
    people: Annotated[int, typer.Option("--people", min=1, help="How many people are looked for at most.")] = PEOPLE,
    controls: Annotated[
        Path | None,
        typer.Option(
            "--controls", help="People who are not in the original: tells whom each release betrays, beside them."
        ),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option("--reference", help="Still others, whom the adversary has; half of the controls if not given."),
    ] = None,
    within: Annotated[
        str, typer.Option("--within", help="How near a guessed number must be: 5, or 10% of the truth.")
    ] = WITHIN,
    demands: DemandOptions,
    schema: SchemaPath = "",
    own: OwnFileOptions,
    large: LargeOptions,
    report: Report = None,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Compare releases of one file before and after: classes, uniques, what was lost, and who is found by attacks.

    Which people are named rightly can be told only where the rows stand in the original's order (`--in-order`,
    `--deleted`); elsewhere what the attackers hope for is told. A release may leave only where all of its columns are
    accounted for: `--k`, `--l` and reasons say what must hold.

    Example: `sekisho compare people.csv R5.csv R10.csv --keys age,sex,town --sensitive illness --report compare.html`
    """
    if reference is not None and controls is None:
        raise ParameterError("reference", Said("be given together with --controls"), str(reference))
    gone = split_pairs("deleted", deleted or ())
    tree_files = split_pairs("tree", trees or ())
    named = choose_rules(context, "", schema, frozenset({Shape.RECORDS}))
    engine = large.choose()
    if engine is not None:
        unpaired = {
            "in_order": in_order,
            "synthetic": synthetic,
            "deleted": deleted,
            "known": known,
            "schema": schema,
            "controls": controls,
        }
        _refuse_beyond({**unpaired, **asdict(demands), "seed": seed, "people": None if people == PEOPLE else people})
        choice = KeyChoice(keys=split_names(keys), sensitive=split_names(sensitive))
        _answer_large(original, releases, own, choice, tree_files, engine, report).deliver(as_json=as_json)
    reads = [original, *releases, *tree_files.values(), *gone.values(), None if named is None else rules_path(named)]
    check_paths(reads=[*reads, controls, reference], writes={"--report": report})
    book = read_own_terms(named, own, original)
    columns = [*split_names(keys), *split_names(sensitive), *tree_files]
    data, book = open_and_say(original, book.with_layout(book.layout.require_columns(columns)))
    question = Comparison(
        keys=split_names(keys),
        sensitive=split_names(sensitive),
        trees={name: read_tree(path) for name, path in tree_files.items()},
        subsets=tuple(split_names(some) for some in known or ()),
        people=people,
        controls=None if controls is None else ControlFiles.read(controls, reference, book),
        within=within,
    ).settle(data)
    if synthetic and (in_order or gone):
        rule = Said("be false where ordered or deleted says which row is whose")
        raise ParameterError("synthetic", rule, synthetic)
    brought = _name_releases(releases, gone, in_order=in_order, synthetic=synthetic)
    spoken = demands.read_demands()
    recipe = RecordsRecipe.of_releases(book, brought, trees=tree_files, columns=spoken)
    stage = _open_stage(recipe, data, question)
    start = settle_seed(seed)
    with show_progress(Said("comparing")):
        reviewed = review_all(stage, seed=start).candidates
        compared = tuple(question.run(stage.original, reviewed, seed=start))
    origin = Provenance(
        name="compare",
        parameters={"keys": list(question.keys), "sensitive": list(question.sensitive), "people": question.people},
        seed=start.value,
        inputs={original.name: digest_file(original)},
    )
    _make_answer(
        compared,
        {"records": len(data), "keys": list(question.keys), "sensitive": list(question.sensitive)},
        {"seed": start.value},
        tables=comparison_tables(compared),
        page=None if report is None else (report, comparison_blocks(stage.original, compared, origin)),
    ).deliver(as_json=as_json)


def _open_stage(recipe: RecordsRecipe, data: Dataset, question: Comparison) -> RecordsStage:
    """Return the finished releases beside their original, having said what there is to say of them."""
    asked = replace(recipe, keys=question.keys, sensitive=question.sensitive, people=question.people)
    stage = RecordsStage.open(asked, data)
    for notice in stage.notices:
        say(notice)
    return stage


def _make_answer(
    compared: Sequence[ReleaseFigures],
    question: Mapping[str, object],
    made_by: Mapping[str, object],
    *,
    tables: Sequence[Block],
    page: tuple[Path, Sequence[Block]] | None,
) -> Answer:
    """Return what is told of releases beside their original, wherever the rows are."""
    first, *others = compared
    answer = {
        **question,
        "original": first.as_dict(),
        "releases": [one.as_dict() for one in others],
        "warnings": _list_warnings(others),
        **made_by,
    }
    text = render_text(COMPARISON_TITLE, tables, language=chosen_language(), width=WIDTH)
    words = join_words([text, *list_account_sentences(compared)], "\n")
    review, files = _tell_reviews(others), dict[Path, bytes]()
    if page is not None:
        report, blocks = page
        shown = render_page(COMPARISON_TITLE, blocks, language=chosen_language(), edition=Edition.CONFIDENTIAL)
        files = {report: shown.encode()}
    return Answer(keys=answer, words=words, review=review, files=files)


def _refuse_beyond(options: Mapping[str, object]) -> None:
    for name, value in options.items():
        if value:
            rule = Said("not be given beyond memory, where no record is looked for beside its release")
            raise ParameterError(name, rule, str(value))


def _answer_large(
    original: Path,
    releases: Sequence[Path],
    own: OwnFileOptions,
    choice: KeyChoice,
    tree_files: Mapping[str, Path],
    engine: EngineChoice,
    report: Path | None,
) -> Answer:
    check_paths(reads=[original, *releases, *tree_files.values()], writes={"--report": report})
    trees = {name: read_tree(path) for name, path in tree_files.items()}
    from sekisho.cli.records.engine_compare import compare_large
    from sekisho.report.pages.risk.counted_protection import large_comparison_blocks

    book = read_own_terms(None, replace(own, identifier=""), original)
    with show_progress(Said("comparing")):
        compared = compare_large(original, releases, book, choice, trees, engine)
    origin = Provenance(
        name="compare",
        parameters={"keys": list(choice.keys), "sensitive": list(choice.sensitive)},
        inputs={}
        if report is None
        else {name: digest for path in (original, *releases) for name, digest in digest_files(path).items()},
    )
    return _make_answer(
        compared,
        {"records": compared[0].rows, "keys": list(choice.keys), "sensitive": list(choice.sensitive)},
        {"engine": engine.engine.value},
        tables=[large_comparison_table(compared)],
        page=None if report is None else (report, large_comparison_blocks(compared, origin)),
    )


def _list_warnings(releases: Sequence[ReleaseFigures]) -> list[str]:
    return [f"{one.name}: {warning}" for one in releases for warning in one.review.list_warnings()]


def _tell_reviews(releases: Sequence[ReleaseFigures]) -> bool:
    """Say what a person must look at before each release leaves; tell whether there is anything."""
    for one in releases:
        tell_review(Path(one.name), one.review)
    return any(one.verdict is not Verdict.RELEASE for one in releases)


def _name_releases(
    paths: Sequence[Path], gone: Mapping[str, Path], *, in_order: bool, synthetic: bool
) -> tuple[RecipeRelease, ...]:
    """Return the releases as a recipe has them, each called as it was named."""
    names = [str(path) for path in paths]
    if len(set(names)) < len(names):
        raise ParameterError("releases", Said("each be named once"), names)
    strange = sorted(set(gone) - set(names))
    if strange:
        raise ParameterError("deleted", Said("name one of the releases ({names})", names=", ".join(names)), strange)
    return tuple(
        RecipeRelease(file=name, label=name, ordered=in_order, deleted=str(gone.get(name, "")), synthetic=synthetic)
        for name in names
    )
