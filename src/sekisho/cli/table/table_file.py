"""The file of a table in place of its cells: what it says need not be typed again, in any ``table`` command.

The file is a recipe of the gate for a table (``table.toml``: original, dims, trees, contributors, rules, the earlier
publication). Where a command is given such a file instead of cells, the file's original takes its place, and what it
says is added to the command's words as far as the command has an option for it and the words do not say it themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from sekisho.cli.kit.answer import say
from sekisho.errors import ParameterError
from sekisho.words import Said

if TYPE_CHECKING:  # the gate, which only a file of a table needs
    from sekisho.gate.tables.recipe_file import TableRecipeFile

FILE = ".toml"
FLAGS = {"microdata": "--microdata", "whole": "--integer"}
PLAIN = {
    "count": "--count",
    "value": "--value",
    "min_count": "--min-count",
    "width": "--width",
    "cost": "--cost",
    "separator": "--separator",
    "encoding": "--encoding",
    "decimal": "--decimal",
    "time": "--time",
    "insiders": "--insiders",
    "margins": "--margins",
    "apriori": "--apriori",
    "frozen": "--frozen",
    "contributor": "--contributor",
    "holding": "--holding",
    "weight": "--weight",
    "request": "--request",
    "waiver": "--waiver",
}
"""By key of the file the option that says the same."""


class TableCommand(TyperCommand):
    """A command of tables, which takes the file of a table for its cells."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words, having added what a file of the table says."""
        options = {name for part in self.params for name in (*part.opts, *part.secondary_opts)}
        return super().parse_args(ctx, add_table_words(args, options))


def add_table_words(words: Sequence[str], options: set[str]) -> list[str]:
    """Return the words of a command with what the files of tables among them say.

    Args:
        words: as they were typed.
        options: those that the command has.

    Raises:
        SettingsError: a file's keys or values are wrong; all of them at once.
    """
    places = [place for place in range(len(words)) if _is_table_file(words, place)]
    if not places:
        return list(words)
    from sekisho.data.files.settings import read_toml
    from sekisho.gate.tables.recipe import build_table_recipe

    given = {word.partition("=")[0] for word in words}
    complete = list(words)
    for place in places:
        path = Path(words[place])
        settings = read_toml(path)
        _, file = build_table_recipe(settings, path)
        if file.coarser:
            raise ParameterError("coarser", Said("be given to sekisho gate only"), str(path))
        complete[place] = file.original
        for option, values in _list_options(file, settings):
            if option in options and option not in given:
                complete += values
                given.add(option)
                say(Said("{path} says {words}", path=path, words=" ".join(values)))
    return complete


def _is_table_file(words: Sequence[str], place: int) -> bool:
    """Tell whether a word is a file of a table: no option, and no value of one."""
    before = words[place - 1] if place else ""
    return words[place].endswith(FILE) and not words[place].startswith("-") and not before.startswith("--")


def _list_options(file: TableRecipeFile, settings: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield each option that the file says something of, with its words; what the file does not say is left out."""
    for key, option in PLAIN.items():
        if key in settings:
            yield option, [f"{option}={getattr(file, key)}"]
    for key, option in FLAGS.items():
        if settings.get(key):
            yield option, [option]
    for key in ("dims", "contributors"):
        if key in settings:
            yield f"--{key}", [f"--{key}={','.join(getattr(file, key))}"]
    if file.solvers:
        yield "--solver", [f"--solver={file.solvers[0]}"]
    repeated = {
        "--rule": list(file.rules),
        "--tree": [f"{dim}={path}" for dim, path in file.trees.items()],
        "--grouping": [f"{dim}={path}" for dim, paths in file.groupings.items() for path in paths],
        "--total": [*([file.total] if file.total else []), *(f"{dim}={code}" for dim, code in file.totals.items())],
        "--category": [f"{dim}={code}" for dim, codes in file.categories.items() for code in codes],
        "--kind": [f"{column}={kind}" for column, kind in file.kinds.items()],
    }
    for option, values in repeated.items():
        if values:
            yield option, [f"{option}={value}" for value in values]
