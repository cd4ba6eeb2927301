"""Questions about a frame of pandas, polars or Arrow, or about a file, in one call each: what the commands ask.

Nothing is decided here. A frame is read as a file of Parquet with its columns would be: texts are understood, typed
columns are what they are, a missing cell is carried. Then the same recipe and stage are made as by the command, so that
the same data, parameters and seed give the same rows. Frames stay in memory, but for :func:`advise`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import polars as pl

from sekisho.data.files.layout import open_original
from sekisho.data.files.plain_table import FrameSource, TableSource, digest_source, write_parquet
from sekisho.data.files.schema_files.schema_file import Missing, SchemaFile
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.frame.convert import FrameKind, find_frame_kind
from sekisho.data.frame.dataset import Dataset, take_frame
from sekisho.data.frame.release import Release
from sekisho.data.records.microdata import read_microdata
from sekisho.data.records.text_table import read_text_table
from sekisho.data.records.written_release import WrittenRelease, read_written_release
from sekisho.data.shape import Shape, read_abilities
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import ParameterError, SettingsError
from sekisho.gate.recipes.making import Maker
from sekisho.gate.records.comparison import Comparison
from sekisho.gate.records.guarantees import RecordGuarantees
from sekisho.gate.records.recipe import ColumnRoles, RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.journey.advice import USUAL_SECONDS, Advice, advise_file
from sekisho.journey.candidates import review_all
from sekisho.journey.frame_answers import FrameComparison, FrameRisk, ProtectedFrame
from sekisho.journey.release import ReleasePlaces, release_records
from sekisho.parameters import checked_call
from sekisho.protect import METHODS, Method
from sekisho.provenance import Provenance
from sekisho.safety.records.assessment import RiskQuestion
from sekisho.safety.records.key_choice import KeyChoice
from sekisho.safety.records.risk_answer import check_wanted
from sekisho.safety.records.text_records import TextRecords
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed, secret_rng
from sekisho.utility.schema_terms import own_records, text_rules
from sekisho.words import Said, join_words

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

    AnyTable: TypeAlias = IntoDataFrame | Path | str
else:  # whatever libraries are installed, a frame is looked at only when it is taken
    AnyTable = object
Names: TypeAlias = Sequence[str] | str
"""Columns; a text is one of them."""
FRAME, RELEASE = "frame", "release"
OUT = Path("release.parquet")
ASKED = {"k": "k-anonymity", "l": "l-diversity", "t": "t-closeness"}
"""What must hold of a release whose method has no such parameter, by the guarantee that it is."""


@checked_call
def risk(
    frame: AnyTable,
    *,
    keys: Names,
    sensitive: Names = (),
    k: int | None = None,
    l: int | None = None,
    t: float | None = None,
    population: AnyTable | float | None = None,
    id: str = "",
    household: str = "",
    suda: bool = False,
) -> FrameRisk:
    """Tell how easily the people of a table are found by what may be known of them, and what is then learned.

    Args:
        frame: the records, one row a person: a frame of pandas, polars or Arrow, or the path of a file.
        keys: what may be known of a person.
        sensitive: what must stay hidden.
        k: asked for: the least size of a class of equal keys.
        l: asked for: the least number of different sensitive values in a class.
        t: asked for: the largest distance of a class's sensitive values from those of all.
        population: of a sample, how many people there are, the sampling fraction, or their table.
        id: the column that says whose each record is: never a key, never shown.
        household: the column that says who lives together; k is then asked of households as well.
        suda: whether special uniques are looked for: whom few columns single out.

    Raises:
        FaultsError: columns are not there, or cannot be what they are named as; all of them at once.
    """
    source, _ = _take(frame)
    named = _list_names(sensitive)
    if (l is not None or t is not None) and not named:
        raise ParameterError(Said("l and t"), Said("be asked for beside sensitive"), None)
    schema = SchemaFile(shape=Shape.RECORDS)
    records = TextRecords(
        table=read_text_table(source, schema),
        choice=KeyChoice(keys=_list_names(keys), sensitive=named, identifier=id, household=household),
        schema=schema,
        population=_take_population(population),
        source=str(source),
    ).code()
    found = RiskQuestion(special=suda).assess(records)
    provenance = Provenance(
        name="risk",
        parameters={"keys": list(found.keys), "sensitive": list(named)},
        inputs=digest_source(source),
    )
    return FrameRisk(risk=found, kept=check_wanted(found, k=k, l=l, t=t), provenance=provenance)


@checked_call
def protect(
    frame: AnyTable,
    *,
    keys: Names = (),
    k: int | None = None,
    method: str = "partition",
    l: float | None = None,
    t: float | None = None,
    sensitive: Names = (),
    seed: int | None = None,
    allowed: Mapping[str, str] | None = None,
    harmless: Mapping[str, str] | None = None,
    learnable: Mapping[str, str] | None = None,
    unit: Mapping[str, str] | None = None,
    drop: Names = (),
    id: str = "",
    columns: Sequence[str] = (),
    **parameters: object,
) -> ProtectedFrame:
    """Make a release of a table by one method, looked at as the command looks at it; nobody attacks it.

    Args:
        frame: the records, one row a person: a frame of pandas, polars or Arrow, or the path of a file.
        keys: what may be known of a person.
        k: the least number of records that are alike; the method's own if None.
        method: its name, as ``sekisho protect`` lists them.
        l: the least diversity of the sensitive values of a class.
        t: the largest distance of a class's sensitive values from those of all.
        sensitive: what must stay hidden.
        seed: of all chance; drawn if None. Of methods that draw records, None is secret chance, which nobody repeats.
        allowed: by column that names people why it may leave all the same.
        harmless: by column of which nothing need be promised the reason, a sentence.
        learnable: by sensitive column that may be learnt the reason, a sentence.
        unit: ``{"row": reason}`` where a row is a person though a column says who and repeats.
        drop: columns that do not leave.
        id: the column that says whose each record is; it does not leave.
        columns: which columns leave, each maybe with its kind and role (``"income:integer:sensitive"``); all if empty.
        parameters: the others of the method, by the names of its options.

    Raises:
        SettingsError: a parameter is unknown or breaks its rule; all of them at once.
        InfeasibleError: nothing can be made that keeps what is asked for.
    """
    source, kind = _take(frame)
    given = {"keys": list(_list_names(keys)), "k": k, "l": l, "t": t, "sensitive": _join_names(sensitive)}
    own, asked = _part_parameters(method, {name: value for name, value in given.items() if value not in (None, "", [])})
    chosen = make_method(method, own | parameters)
    spoken = ColumnRoles(
        keys=tuple(map(str, asked.pop("keys", ()))),
        sensitive=tuple(filter(None, [str(asked.pop("sensitive", ""))])),
        harmless=harmless or {},
        learnable=learnable or {},
        unit=unit or {},
        drop=_list_names(drop),
        guarantees=RecordGuarantees(wanted={ASKED[name]: {name: value} for name, value in asked.items()}),
    )
    secret = read_abilities(chosen).reads_text and seed is None
    start = Seed.draw() if seed is None else Seed(seed)
    data, terms, notices = _read_records(source, chosen, id=id, columns=columns)
    recipe = RecordsRecipe.of_method(method, chosen, terms, allowed=allowed, columns=spoken)
    stage = RecordsStage(recipe=recipe, original=data)
    made = release_records(
        replace(stage, apply=_draw_secretly) if secret else stage,
        ReleasePlaces(
            source=Path(str(source)),
            out=OUT,
            inputs=tuple(recipe.trees.values()),
            frame=source if isinstance(source, FrameSource) else None,
        ),
        seed=start,
        secret=secret,
    )
    return ProtectedFrame(made=made, kind=kind, seed=None if secret else start.value, notices=notices)


@checked_call
def compare(
    original: AnyTable,
    release: AnyTable | ProtectedFrame,
    *more: AnyTable | ProtectedFrame,
    keys: Names = (),
    sensitive: Names = (),
    k: int | None = None,
    l: float | None = None,
    harmless: Mapping[str, str] | None = None,
    learnable: Mapping[str, str] | None = None,
    unit: Mapping[str, str] | None = None,
    tree: Mapping[str, Path | str] | None = None,
    in_order: bool = False,
    id: str = "",
    seed: int | None = None,
) -> FrameComparison:
    """Compare releases of one table before and after: classes, uniques, what was lost, and who is found by attacks.

    Args:
        original: the records, one row a person: a frame, or the path of a file.
        release: one of them; what :func:`protect` gave stands in the original's order, which is then known.
        more: others.
        keys: what may be known of a person; all columns but the sensitive if empty.
        sensitive: what must stay hidden; models predict it.
        k: what must hold of each release: so many people at least are alike in the keys.
        l: what must hold: so many different sensitive values at least in each class.
        harmless: by column of which nothing need be promised the reason, a sentence.
        learnable: by sensitive column that may be learnt the reason, a sentence.
        unit: ``{"row": reason}`` where a row is a person though a column says who and repeats.
        tree: of keys whose cells are labels, the file.
        in_order: whether the rows of every release that comes as a frame or a file stand in the original's order.
        id: the column that says whose each record is.
        seed: of the attacks; drawn if None.

    Raises:
        FaultsError: cells of a release mean nothing, or its rows do not fit the original's; all at once.
    """
    source, _ = _take(original)
    data, terms, notices = _read_records(source, None, id=id)
    files = {name: Path(file) for name, file in (tree or {}).items()}
    question = Comparison(
        keys=_list_names(keys),
        sensitive=_list_names(sensitive),
        trees={name: read_tree(file) for name, file in files.items()},
    ).settle(data)
    asked = {ASKED[name]: {name: value} for name, value in (("k", k), ("l", l)) if value is not None}
    columns = ColumnRoles(
        keys=question.keys,
        sensitive=question.sensitive,
        harmless=harmless or {},
        learnable=learnable or {},
        unit=unit or {},
        guarantees=RecordGuarantees(wanted=asked),
    )
    stage = RecordsStage.open(RecordsRecipe.of_releases(terms, trees=files, columns=columns), data)
    written = {
        name: WrittenRelease(release=one, ordered=True, notices=())
        if isinstance(one, Release)
        else read_written_release(one, terms, stage.original, trees=question.trees, in_order=in_order)
        for name, one in _name_releases([release, *more]).items()
    }
    stage, start = replace(stage, written=written), Seed.draw() if seed is None else Seed(seed)
    first, *others = question.run(stage.original, review_all(stage, seed=start).candidates, seed=start)
    provenance = Provenance(
        name="compare",
        parameters={"keys": list(question.keys), "sensitive": list(question.sensitive), "people": question.people},
        seed=start.value,
        inputs=digest_source(source),
    )
    return FrameComparison(
        original=first,
        releases=tuple(others),
        data=stage.original,
        question=question,
        provenance=provenance,
        notices=(*notices, *map(str, stage.notices)),
    )


@checked_call
def advise(source: AnyTable, *, seconds: float = USUAL_SECONDS, seed: int | None = None) -> Advice:
    """Return what to change in a recipe, or in the recipe that is proposed for a table, tried out.

    A frame is written into a folder that only its owner reads, since changes are tried in a process of their own that
    can be stopped; it is gone afterwards.

    Args:
        source: a recipe (``.toml``), a file of data, or a frame.
        seconds: how long changes may be tried.
        seed: of all trials; the recipe's own if None, else drawn.
    """
    table, _ = _take(source)
    if isinstance(table, Path):
        return advise_file(table, seconds=seconds, seed=seed)
    with TemporaryDirectory(prefix="sekisho-") as folder:
        path = Path(folder) / f"{FRAME}.parquet"
        path.write_bytes(write_parquet(table.frame))
        advice = advise_file(path, seconds=seconds, seed=seed)
    return replace(advice, source=Path(FRAME), text=advice.text.replace(str(path.resolve()), path.name))


def make_method(name: str, parameters: Mapping[str, object]) -> Method:
    """Return a method of records by its name, with the parameters that a recipe would have.

    Raises:
        SettingsError: a parameter is unknown or breaks its rule; all of them at once.
        UnknownNameError: there is no such method.
    """
    METHODS.find_class(name, Shape.RECORDS)
    maker = Maker(folder=Path(), source="protect", shape=Shape.RECORDS)
    paths = {key: _name_files(value) for key, value in parameters.items()}
    method = maker.make_one({"name": name, **paths}, METHODS, name)
    if method is None:
        raise SettingsError("protect", maker.faults)
    return method


def _part_parameters(method: str, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is a parameter of a method, and what is asked of its release instead."""
    names = {item.name for item in fields(cast("Any", METHODS.find_class(method, Shape.RECORDS)))}
    own = {name: value for name, value in given.items() if name in names}
    return own, {name: value for name, value in given.items() if name not in names}


def _name_files(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _name_files(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def _take(table: AnyTable, name: str = FRAME) -> tuple[TableSource, FrameKind]:
    """Return where a table comes from, and whose frames are given for it: for a file those of polars.

    Raises:
        ParameterError: it is neither a frame nor a path.
    """
    if isinstance(table, str | Path):
        return Path(table), FrameKind.POLARS
    try:
        kind, frame = find_frame_kind(table), take_frame(table)
    except (TypeError, ValueError) as error:
        rule = Said("be a frame of pandas, polars or Arrow whose columns hold texts, numbers or dates, or a path")
        raise ParameterError(name, rule, type(table).__name__, hint=str(error).partition("\n")[0]) from error
    floats = [each.name for each in frame if each.dtype.is_float()]
    return FrameSource(name=name, frame=frame.with_columns(pl.col(floats).fill_nan(None))), kind


def _take_population(population: AnyTable | float | None) -> str | FrameSource:
    if population is None:
        return ""
    if isinstance(population, str | Path | int | float):
        return str(population)
    source, _ = _take(population, "population")
    return source if isinstance(source, FrameSource) else str(source)


def _name_releases(releases: Sequence[AnyTable | ProtectedFrame]) -> dict[str, TableSource | Release]:
    """Return releases by what they are called: a file by its path, a frame by its place."""
    named = dict[str, TableSource | Release]()
    for place, release in enumerate(releases, 1):
        called = f"{RELEASE} {place}"
        if isinstance(release, ProtectedFrame) and release.release.order is None:
            named[called] = release.release
            continue
        source, _ = _take(release.table if isinstance(release, ProtectedFrame) else release, called)
        if str(source) in named:
            raise ParameterError("releases", Said("each be named once"), str(source))
        named[str(source)] = source
    return named


def _read_records(
    source: TableSource, method: Method | None, *, id: str, columns: Sequence[str] = ()
) -> tuple[Dataset, RecordTerms, tuple[str, ...]]:
    """Return records and their terms as the command has them, and what was found out in reading them."""
    stem = source.stem if isinstance(source, Path) else source.name
    if method is not None and read_abilities(method).reads_text:
        texts = read_microdata(source, columns=columns, identifier=id)
        terms = text_rules(texts.form, stem, identifier=id, columns=texts.data.schema)
        return texts.data, terms, tuple(texts.notices)
    schema = schema_from_options(Shape.RECORDS, identifier=id, columns=columns, missing=Missing.CARRY)
    original, settled = open_original(source, own_records(schema, stem))
    return original.data, settled, tuple(map(str, original.notices))


def _list_names(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _join_names(names: Names) -> str:
    listed = _list_names(names)
    if len(listed) > 1:
        raise ParameterError("sensitive", Said("be one column"), join_words(listed, ", "))
    return "".join(listed)


def _draw_secretly(method: Method, data: Dataset, seed: Seed) -> Release:
    """Apply a method with chance that nobody can repeat."""
    del seed
    return method.apply(data, rng=secret_rng())
