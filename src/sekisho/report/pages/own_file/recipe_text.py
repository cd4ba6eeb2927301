"""The recipe that is proposed for a file: how to protect it, who attacks, what must hold, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from types import MappingProxyType

from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.files.toml_text import TomlText
from sekisho.data.frame.dataset import Role
from sekisho.data.shape import Shape
from sekisho.gate.profiling.look import FileLook
from sekisho.gate.profiling.shape_guess import TableColumns
from sekisho.report.pages.own_file.advice import write_points
from sekisho.report.pages.own_file.words import say_hints, say_shape, say_uniques
from sekisho.words import Language, Said, translate

K, L = 5, 2
FEWEST_OF_A_CLASS = 3 * K
"""Fewer people than this cannot form classes of five that are worth the name; smaller ones are tried."""
DOCS = Said("Guesses to look at before you rely on them: docs/guide/own-file.md")
TITLE = Said("what the data are called in public: asked for, not taken from the name of the file")
SEED = Said("drawn and recorded if not given")
PROVEN_K = 7
"""7! = 5,040 is above 3**7 = 2,187, and 6! = 720 is not above 3**6 = 729: from 7 on a group keeps the claim H0."""
PROVEN = Said("groups of so many people whose rows are published alike; from 7 on the safety claim itself is proven")
SMALLER = Said("Smaller groups lose less, but attacks alone speak for them. To try them all:")
CLASSES = Said("classes of so many people whose keys are written alike")
LEFT_OUT = 0.2
MUST = Said("what must hold, else nothing leaves")
LEVELS = Said("proposed: codes that begin with another's look like parts of it; leave out what is no tree")
MARGINS = Said("margins are added where the file has none")
MIN_COUNT = Said("cells of fewer are unsafe")
WIDTH = Said("how wide an attacker's interval of an unsafe cell must be")
P_PERCENT = Said("nobody may learn another's contribution within 15 per cent")
FEW = Said("cells of fewer contributors are unsafe")
INSIDERS = Said("a contributor who knows what it gave attacks, too; 0 for outsiders only")
MICRO = Said("a row for each contributor: tabulated first, margins included")
CODE = Said("Far-out values remain in what is no key, or stretch the ranges of a key. To code them, first run:")


def write_recipe(
    look: FileLook,
    language: Language,
    *,
    original: str,
    schema: str,
    recipe: str,
    trees: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    """Return the recipe as a file.

    Args:
        look: at the data.
        language: of the comments.
        original: the file of data as the recipe calls it.
        schema: the file of its schema likewise; not used for a table.
        recipe: what the recipe itself is called.
        trees: by dimension of a table the file of its tree, as the recipe calls it.
    """
    text = TomlText()
    text.say(
        translate(
            Said("How {name} is taken through the gate: sekisho gate {recipe}", name=look.path.name, recipe=recipe),
            language,
        ),
        translate(DOCS, language),
    )
    text.offer("title", "…", translate(TITLE, language))
    text.set("shape", look.shape.value, translate(say_shape(look.guess), language))
    text.say(translate(say_hints(look.guess.hints), language))
    text.set("original", original)
    if look.guess.table is not None:
        _write_table(text, look.guess.table, look.file.rules, language)
    else:
        text.set("schema", schema)
        text.offer("seed", 1, translate(SEED, language))
        write = _write_history if look.shape is Shape.HISTORY else _write_records
        write(text, look, language)
    if look.guess.table is not None and look.file.said:
        text.open("[kinds]")
        for each in look.file.said:
            text.set(each.column, each.words)
    if trees:
        text.open("[trees]")
        text.say(translate(LEVELS, language))
        for name, file in trees.items():
            text.set(name, file)
    text.lines.append("")
    text.say(*write_points(look, schema if look.schema is not None else recipe, language))
    return text.render()


def _write_history(text: TomlText, look: FileLook, language: Language) -> None:
    people = 0 if look.guess.person is None else look.guess.person.distinct
    text.set("bound", "exact")
    text.open("[[methods]]")
    text.set("name", "groups")
    text.set("k", max(2, min(PROVEN_K, people)), translate(PROVEN, language))
    text.lines.append("")
    text.say(translate(SMALLER, language), "[find]")
    text.offer("method", "groups")
    text.offer("k", [2, PROVEN_K])
    for name in ("maximum-knowledge", "containment", "unique-rows", "chance"):
        text.open("[[adversaries]]")
        text.set("name", name)


def _write_records(text: TomlText, look: FileLook, language: Language) -> None:
    rows = look.file.rows
    k = K if rows >= FEWEST_OF_A_CLASS else 2
    if look.uniques is not None:
        text.lines.append("")
        text.say(*(translate(words, language) for words in say_uniques(look.uniques)))
    _offer_coding(text, look, language)
    text.open("[[methods]]")
    text.set("name", "partition")
    text.set("k", k, translate(CLASSES, language))
    diverse = _find_diverse(look)
    if diverse:
        text.set("sensitive", diverse[0])
        text.set(
            "l", L, translate(Said("different values of {name} in each class at least", name=diverse[0]), language)
        )
    for name in ("prosecutor", "nearest-cell"):
        text.open("[[adversaries]]")
        text.set("name", name)
    text.open("[guarantees]")
    text.set("k", k, translate(MUST, language))
    if diverse:
        text.set("l", L, translate(Said("of each of {names}", names=", ".join(diverse)), language))
    if len(diverse) > 1:
        text.set(
            "leave_out",
            LEFT_OUT,
            translate(
                Said(
                    "the method heeds {name}; so many records at most are left out, in whole classes, that the others "
                    "keep l too",
                    name=diverse[0],
                ),
                language,
            ),
        )


def _find_diverse(look: FileLook) -> tuple[str, ...]:
    """Return the sensitive columns, the least diverse first: the method heeds that one, and the others mostly follow.

    A column with one value tells the same of everybody, and no class could hold two.
    """
    if look.schema is None:
        return ()
    common = {
        rules.output_name: guess.look.common / max(1, guess.look.present)
        for guess, rules in zip(look.schema.roles, look.schema.rules, strict=True)
        if rules is not None and rules.role is Role.SENSITIVE and guess.look.distinct + (guess.look.missing > 0) > 1
    }
    return tuple(sorted(common, key=lambda name: -common[name]))


def _offer_coding(text: TomlText, look: FileLook, language: Language) -> None:
    tails = [
        f"--{tail.side} {quote(f'{guess.look.name}={tail.limit}')}"
        for guess in look.roles
        if guess.role in {Role.QUASI, Role.SENSITIVE, Role.HOUSEHOLD, Role.OTHER}
        for tail in guess.look.tails
    ]
    if tails:
        name = look.path.name
        text.say(
            translate(CODE, language),
            f"sekisho protect code {quote(name)} {' '.join(tails)} --out {quote(f'coded-{name}')}",
        )


def _write_table(text: TomlText, table: TableColumns, rules: FileRules, language: Language) -> None:
    text.set("dims", [each.name for each in table.dims], translate(MARGINS, language))
    for name in ("separator", "encoding", "sheet", "decimal"):
        value = getattr(rules, name)
        if value is not None:
            text.set(name, value)
    if table.is_microdata:
        text.set("microdata", value=True, comment=translate(MICRO, language))
        if table.contributor is not None:
            text.set("contributor", table.contributor.name)
    if table.counts:
        if table.value is not None:
            text.set("count", table.value.name)
        text.set("min_count", 5, translate(MIN_COUNT, language))
        text.set("width", 10, translate(WIDTH, language))
        if table.contributor is not None:
            text.set("insiders", 1, translate(INSIDERS, language))
        return
    _write_sums(text, table, language)


def _write_sums(text: TomlText, table: TableColumns, language: Language) -> None:
    if table.value is not None:
        text.set("value", table.value.name)
    if table.contributors:
        text.set("contributors", [each.name for each in table.contributors])
    whole = table.is_microdata or len(table.contributors) > 2
    text.set("rules", ["min:3", "p%:15"] if whole else ["min:3"], translate(P_PERCENT if whole else FEW, language))
    if whole:
        text.set("insiders", 1, translate(INSIDERS, language))
