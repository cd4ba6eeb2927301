"""``sekisho init``: look at a file and propose a schema and a recipe for it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, say
from sekisho.cli.kit.files import Encoding, Kinds, Separator, Sheet, refuse_overwriting
from sekisho.cli.kit.language import chosen_language
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.schema_files.schema_file import SaidKind
from sekisho.data.files.whole_files import check_paths
from sekisho.data.shape import Shape
from sekisho.data.trees.tree_files import write_tree
from sekisho.gate.profiling.look import FileLook, look_at_file
from sekisho.report.pages.own_file.advice import describe_columns, describe_points, summarise_look
from sekisho.report.pages.own_file.decisions import list_left_out, list_questions
from sekisho.report.pages.own_file.recipe_text import write_recipe
from sekisho.report.pages.own_file.schema_text import write_schema
from sekisho.words import Language, Said, translate

NO_FILE_NAME = r"[^\w-]+"


def init(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="The data: CSV, workbook, Parquet, SPSS, Stata, SAS.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="The recipe to write; the schema is written beside it.")] = Path(
        "recipe.toml"
    ),
    shape: Annotated[
        Shape | None,
        typer.Option("--shape", help="What a row is; found out if not given. Of microdata of firms, table tabulates."),
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    kinds: Kinds = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a recipe or schema that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Look at a file and write a recipe and a schema for it, each guess with its reason.

    Then `sekisho gate recipe.toml` takes the file through the gate.

    Example: `sekisho init people.csv`
    """
    schema = out.parent / f"{source.stem}.schema.toml"
    check_paths(reads=[source], writes={"--out": out, "the schema": schema})
    refuse_overwriting([out, schema], force=force)
    form = CsvForm(separator=separator, encoding=encoding, sheet=sheet)
    said = tuple(map(SaidKind.parse, kinds or ()))
    look, language = look_at_file(source, shape=shape, form=form, said=said), chosen_language()
    trees = {name: out.parent / _name_tree_file(source, name) for name in look.trees}
    refuse_overwriting(list(trees.values()), force=force)
    called = {name: path.name for name, path in trees.items()}
    recipe = write_recipe(
        look, language, original=_call_from(out, source), schema=schema.name, recipe=str(out), trees=called
    )
    files = {out: recipe, **{trees[name]: write_tree(tree) for name, tree in look.trees.items()}}
    if look.schema is not None:
        files[schema] = write_schema(look, language)
    for name, path in trees.items():
        say(Said("codes of {dim} look like levels of a tree, which {path} proposes: look at it", dim=name, path=path))
    _answer(look, language, files, out, schema).deliver(as_json=as_json)


def _name_tree_file(source: Path, dim: str) -> str:
    return f"{source.stem}.{re.sub(NO_FILE_NAME, '_', dim)}.tree.csv"


def _answer(look: FileLook, language: Language, files: dict[Path, bytes], out: Path, schema: Path) -> Answer:
    shown = (schema if schema in files else out).name
    keys = {
        "shape": look.shape.value,
        "rows": look.file.rows,
        "columns": describe_columns(look, language),
        "uniques": None if look.uniques is None else look.uniques.unique,
        "duplicated_rows": look.repeated,
        "left_out": describe_points(list_left_out(look), shown, language),
        "questions": describe_points(list_questions(look), shown, language),
        "reading": [translate(each, language) for each in look.file.notices],
        "recipe": str(out),
        "schema": str(schema) if schema in files else None,
        "trees": [str(path) for path in files if path not in {out, schema}],
    }
    words = summarise_look(look, language, list(map(str, files)), recipe=str(out), schema=shown)
    return Answer(keys=keys, words=words, files=files)


def _call_from(recipe: Path, source: Path) -> str:
    """Return what a recipe calls a file: by the way from its own folder."""
    try:
        return Path(os.path.relpath(source.resolve(), recipe.parent.resolve())).as_posix()
    except ValueError:  # on another drive
        return source.resolve().as_posix()
