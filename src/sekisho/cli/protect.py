"""``sekisho protect METHOD``: make a release."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from sekisho.cli.kit.answer import Answer, AsJson, AskedSeed, Verbose, format_keys, parse_fraction, say, settle_seed
from sekisho.cli.kit.choices import Choices, list_files, make_choice_app
from sekisho.cli.kit.files import Deleted, GivenRules, Out, Report, Round
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.options import LargeOptions, expand_options, refuse_unsuited
from sekisho.cli.kit.progress import show_progress, watch
from sekisho.cli.kit.review import AllowColumn, read_allowed, tell_review
from sekisho.cli.kit.roles import ColumnRoleOptions
from sekisho.cli.shapes.file_options import (
    TEXT,
    OwnFileOptions,
    SchemaPath,
    open_and_say,
    reads_text,
)
from sekisho.cli.shapes.files import choose_round, choose_rules, require, require_one_shape
from sekisho.cli.shapes.records import condition_keys
from sekisho.cli.shapes.verbs import refuse_unsuited_shape, refuse_unsuited_terms
from sekisho.data.files.plain_table import is_parquet
from sekisho.data.files.whole_files import check_paths
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.shape import Place, Shape, read_abilities
from sekisho.errors import ParameterError
from sekisho.gate.rulebooks import read_terms, rules_path
from sekisho.protect import METHODS, Anytime, Method, TakesTrees
from sekisho.provenance import list_parameters
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms, RecordTerms, Terms
from sekisho.seeds import Seed, secret_rng
from sekisho.words import Said, join_words

if TYPE_CHECKING:  # brings engines and the strongest attack, which are loaded only where they are asked for
    from sekisho.data.engines.engine import EngineChoice
    from sekisho.data.files.schema_files.columns import Notice
    from sekisho.gate.history.recipe import HistoryRecipe
    from sekisho.gate.history.safe_k import Proof, Safety
    from sekisho.gate.records.recipe import ColumnRoles, RecordsRecipe
    from sekisho.journey.release import OneRelease, ReleasePlaces
    from sekisho.protect.beyond_memory import EngineTask


class SafeBy(StrEnum):
    """By what the least k is chosen: the strongest attack under a bound, or the claim itself."""

    UNION = "union"
    EXACT = "exact"
    CLAIM = "claim"


Safe = Annotated[
    SafeBy | None,
    typer.Option(
        "--safe",
        help="Choose the least k whose release survives the strongest attack under this bound, or of which the claim "
        "itself is proven.",
    ),
]
Attackers = Annotated[
    int | None, typer.Option("--attackers", help="With --safe union or exact: how many attacks must be survived; 13.")
]
Confidence = Annotated[
    str, typer.Option("--confidence", help="With --safe union or exact: the chance of surviving them all; 0.95.")
]


def wanted_safety(safe: SafeBy | None, attackers: int | None, confidence: str) -> Safety | Proof | None:
    """Return how safe a release must be; None where nothing is asked."""
    if safe is None or safe is SafeBy.CLAIM:
        asked = {"attackers": attackers, "confidence": confidence or None}
        for name, value in asked.items():
            if value is not None:
                raise ParameterError(name, Said("be given with --safe union or --safe exact"), value)
    if safe is None:
        return None
    from sekisho.gate.history.safe_k import Proof, Safety  # the strongest attack

    if safe is SafeBy.CLAIM:
        return Proof()
    safety = Safety(bound=Bound(safe), confidence=parse_fraction("confidence", confidence or "0.95"))
    return safety if attackers is None else replace(safety, attackers=attackers)


@expand_options
def run(
    name: str,
    method: Method,
    *,
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="IN", help="The original data.")],
    out: Out,
    rules: GivenRules = "",
    schema: SchemaPath = "",
    own: OwnFileOptions,
    report: Report = None,
    allow_column: AllowColumn = None,
    roles: ColumnRoleOptions,
    deleted: Deleted = None,
    asked_round: Round = "",
    safe: Safe = None,
    attackers: Attackers = None,
    confidence: Confidence = "",
    large: LargeOptions,
    seed: AskedSeed = None,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Apply a method to a file and write its release."""
    from sekisho.journey.release import ReleasePlaces

    choice, allowed = large.choose(), read_allowed(allow_column)
    named = choose_rules(context, rules, schema, method.shapes)
    places = ReleasePlaces(source=source, out=out, deleted=deleted, report=report, inputs=tuple(list_files(method)))
    check_paths(
        reads=[source, *places.inputs, None if named is None else rules_path(named)],
        writes={
            "--out": None if choice is not None and choice.reaches(out) else out,
            "--deleted": deleted,
            "--report": report,
            "the mechanism": places.mechanism if named is None and reads_text(method) else None,
        },
    )
    if named is None and reads_text(method):
        refuse_unsuited(
            context,
            Said("{name} without rules", name=name),
            ("deleted", "asked_round", "safe", "attackers", "confidence", *TEXT),
        )
        spoken = roles.read()
        _draw_records(name, method, own, places, allowed, spoken, seed, choice).deliver(
            as_json=as_json, verbose=verbose
        )
    if read_abilities(method).runs_on <= {Place.MEMORY}:
        large.refuse_engines(Said("be given for a method that works beyond memory"))
    if named is None:
        refuse_unsuited_shape(require_one_shape(method.shapes), context, "protect")
    book = own.rules(require_one_shape(method.shapes), source) if named is None else read_terms(named)
    METHODS.find_class(name, book.shape)
    if isinstance(book, RecordTerms):
        book = book.with_layout(book.layout.require_columns(list_named_columns(method)))
    book = choose_round(book, asked_round)
    refuse_unsuited_terms(book, context, "protect")
    if isinstance(book, HistoryTerms) or book.layout.strict:
        parameters = {
            item.name for item in fields(cast("Any", method))
        }  # a method's own option of that name is no role
        others = [option for option in roles.names if option not in parameters]
        refuse_unsuited(context, Said("{name}, whose columns are told by other means", name=book.name), others)
    task = None if choice is None else _take_task(book, places, choice, ordered=deleted is not None)
    task = task if task is not None and task.keeps_rows(method) else None
    if task is not None:
        refuse_unsuited(context, Said("work beyond memory"), ("asked_round", "safe", "attackers", "confidence"))
    safety = wanted_safety(safe, attackers, confidence)
    with large.spread() if task is None else nullcontext():
        if isinstance(book, HistoryTerms):
            answer = _protect_history(name, method, book, places, allowed, safety, settle_seed(seed), task)
        else:
            answer = _protect_records(name, method, book, places, allowed, roles.read(), seed, task)
    engine = {} if choice is None else {"engine": choice.engine.value}
    replace(answer, keys={**answer.keys, **engine}).deliver(as_json=as_json, verbose=verbose)


def _take_task(book: Terms, places: ReleasePlaces, choice: EngineChoice, *, ordered: bool = False) -> EngineTask:
    from sekisho.protect.beyond_memory import EngineTask  # an engine's words, which few calls need

    def tell_notice(notice: Notice) -> None:
        say(Said("{source}: {reason}", source=places.source, reason=notice.message))

    return EngineTask(source=places.source, terms=book, out=places.out, choice=choice, ordered=ordered, say=tell_notice)


def _protect_history(
    name: str,
    method: Method,
    book: HistoryTerms,
    places: ReleasePlaces,
    allowed: Mapping[str, str],
    safety: Safety | Proof | None,
    seed: Seed,
    task: EngineTask | None,
) -> Answer:
    from sekisho.gate.history.recipe import HistoryRecipe

    recipe = HistoryRecipe(rules=book, methods={name: method}, adversaries={}, allowed_columns=allowed)
    if task is None:
        made = _release_history(recipe, places, safety, seed)
    else:
        made = _release_there(recipe, task, places, seed)
    keys = {"utility": made.candidate.score.value, "seconds": made.seconds, "seed": seed.value}
    return _answer(made, {**keys, **made.detail, **made.review.as_dict(), **made.told})


def _release_history(
    recipe: HistoryRecipe, places: ReleasePlaces, safety: Safety | Proof | None, seed: Seed
) -> OneRelease:
    from sekisho.gate.history.stage import HistoryStage
    from sekisho.journey.release import release_history

    if is_parquet(places.out):
        rule = Said("not end in .parquet: a release of a history is a CSV file, row by row beside its original")
        raise ParameterError("out", rule, str(places.out))
    data, settled = open_and_say(places.source, recipe.rules)
    stage = replace(HistoryStage.open(replace(recipe, rules=settled), data), apply=watch_method)
    if safety is not None:
        from sekisho.gate.history.safe_k import SafeApply

        stage = replace(stage, apply=SafeApply(rules=settled, safety=safety, tell=say))
    made = release_history(stage, places, seed=seed)
    tell_review(places.source, made.review)
    return made


def _protect_records(
    name: str,
    method: Method,
    book: RecordTerms,
    places: ReleasePlaces,
    allowed: Mapping[str, str],
    spoken: ColumnRoles,
    asked: int | None,
    task: EngineTask | None,
) -> Answer:
    if read_abilities(method).writes_cells and book.layout.strict:
        rule = Said("be a schema of one's own: a contest's files hold whole values only")
        raise ParameterError("--rules", rule, book.name)
    if book.layout.strict:
        require("deleted", places.deleted)
    from sekisho.gate.records.recipe import RecordsRecipe

    recipe = RecordsRecipe.of_method(name, method, book, allowed=allowed, columns=spoken)
    if task is None:
        data, settled = open_and_say(places.source, book)
        seed = settle_seed(asked)
        made = _release_records(replace(recipe, rules=settled), data, places, seed=seed)
    else:
        seed = settle_seed(asked)
        made = _release_there(recipe, task, places, seed)
    keys = {"seconds": made.seconds, "seed": seed.value, **made.detail}
    words = ""
    if not read_abilities(method).writes_cells:
        keys = condition_keys(made.conditions) | keys
        rows = Said("{data:,} rows kept, {gone:,} deleted", data=made.kept, gone=made.gone)
        words = join_words([rows, *map(str, made.conditions)], "\n")
    return _answer(made, {**keys, **made.told, **made.review.as_dict()}, words)


def _draw_records(
    name: str,
    method: Method,
    own: OwnFileOptions,
    places: ReleasePlaces,
    allowed: Mapping[str, str],
    spoken: ColumnRoles,
    asked: int | None,
    choice: EngineChoice | None,
) -> Answer:
    """Apply a method that takes every column as a category, its values the texts as they stand."""
    from sekisho.gate.records.recipe import RecordsRecipe

    if asked is None:
        say(Said("randomness: secret, from the operating system; nobody can repeat this release"))
    else:
        say(Said("randomness: seed {asked}; whoever knows it can undo the protection", asked=asked))
    seed = Seed.draw() if asked is None else Seed(asked)
    file = own.file(places.source)
    if choice is None:
        texts = file.read()
        terms = own.describe_texts(places.source, texts)
        recipe = RecordsRecipe.of_method(name, method, terms, allowed=allowed, columns=spoken)
        made = _release_records(recipe, texts.data, places, seed=seed, secret=asked is None)
    else:
        terms = own.describe_texts(places.source)
        recipe = RecordsRecipe.of_method(name, method, terms, allowed=allowed, columns=spoken)
        task = replace(_take_task(recipe.rules, places, choice), texts=file.columns_read, secret=asked is None)
        made = _release_there(recipe, task, places, seed)
    keys = {
        **made.detail,
        **made.review.as_dict(),
        "seconds": made.seconds,
        "seed": asked,
        **made.told,
    }
    words = format_keys(keys)
    if keys.get("refuted"):
        words = join_words([Said("the assumption fails on this file: do not rely on the risk"), words], "\n")
    return _answer(made, keys, words)


def _release_records(
    recipe: RecordsRecipe, data: Dataset, places: ReleasePlaces, *, seed: Seed, secret: bool = False
) -> OneRelease:
    from sekisho.gate.records.stage import RecordsStage
    from sekisho.journey.release import release_records

    stage = RecordsStage(recipe=recipe, original=data, apply=draw_secretly if secret else watch_method)
    made = release_records(stage, places, seed=seed, secret=secret, language=chosen_language(), progress=show_progress)
    tell_review(places.source, made.review)
    return made


def _release_there(
    recipe: RecordsRecipe | HistoryRecipe, task: EngineTask, places: ReleasePlaces, seed: Seed
) -> OneRelease:
    from sekisho.journey.release import release_beyond_memory  # brings an engine, which few calls need

    with show_progress(Said("protecting")) as teller:
        watched = replace(task, tell=teller.tell)
        made = release_beyond_memory(recipe, watched, places, seed=seed, language=chosen_language())
    tell_review(places.source, made.review)
    return made


def draw_secretly(method: Method, data: Dataset, seed: Seed) -> Release:
    """Apply a method with chance that nobody can repeat."""
    del seed
    with show_progress(Said("protecting")):
        return method.apply(data, rng=secret_rng())


def watch_method(method: Method, data: Dataset, seed: Seed) -> Release:
    """Apply a method; a search shows how far it is and can be interrupted."""
    if not isinstance(method, Anytime):
        with show_progress(Said("protecting")):
            return method.apply(data, rng=seed.rng())
    of_history = Shape.HISTORY in method.shapes
    last = watch(
        method.improve(data, rng=seed.rng()),
        doing=Said("searching"),
        tell=lambda step: (
            Said("error {error:.5f}, no release below {bound:.5f}", error=step.utility, bound=step.bound)
            if of_history
            else f"NCP {step.utility:.5f}"
        ),
        keep=lambda step: (
            Said("the best release so far is kept, error {error:.5f}", error=step.utility)
            if of_history
            else Said("the best classes so far are kept, NCP {utility:.5f}", utility=step.utility)
        ),
    )
    release = last.release()
    return replace(release, detail={"lower_bound": last.bound, **release.detail}) if of_history else release


def list_named_columns(method: Method) -> tuple[str, ...]:
    """Return the columns that a method's own parameters name: its keys, those with a tree, the sensitive one."""
    parameters = list_parameters(method)
    keys, sensitive = parameters.get("keys", ()), parameters.get("sensitive", "")
    trees = method.tree or {} if isinstance(method, TakesTrees) else {}
    names = map(str, keys) if isinstance(keys, list | tuple) else ()
    return tuple(dict.fromkeys((*names, *trees, *([sensitive] if isinstance(sensitive, str) and sensitive else ()))))


def _answer(made: OneRelease, keys: Mapping[str, object], words: str = "") -> Answer:
    if made.stays:
        say(Said("the release must not leave: nothing was written"))
    keys = {**keys, **made.candidate.account.as_dict()}
    answer = Answer(keys=keys, words=words or format_keys(keys), files=made.files, ending=made.ending)
    return answer.judged(made.verdict)


app = make_choice_app(
    Choices(registry=METHODS, run=run, example="sekisho protect {name} IN.csv --out OUT.csv --seed 1"),
    summary="Protect a file: `sekisho protect METHOD IN --out OUT [--rules RULES]`. Each METHOD has its own --help.\n\n"
    "Example: `sekisho protect pseudonymise T.csv --out A.csv --seed 1`",
)
