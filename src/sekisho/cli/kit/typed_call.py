"""How a command says what the library calls a parameter or a setting: by its option, or by the key of its recipe.

The library knows parameters and settings, a command options and the keys of the file that it was given: where a
sentence is about one of them, it is written here as it is said in that door, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sekisho.errors import (
    EncodingError,
    Fault,
    FaultsError,
    InputError,
    ParameterError,
    SekishoError,
    UnknownNameError,
    say_rule,
)
from sekisho.words import Said, Setting, join_words, name_setting

RECIPE = ".toml"
OTHER_NAMES = {
    "allowed_columns": "allow_column",
    "frequency": "contributors",
    "identifier": "id",
    "kinds": "kind",
    "largest": "contributors",
    "max_set": "sets",
    "rules": "rule",
    "seconds": "time",
    "trees": "tree",
    "weights": "weight",
    "whole": "integer",
}
"""By a parameter of the library what the doors call it, where that is another word."""
COLUMN_PARAMETERS = ("column", "columns", "keys", "name", "names")
"""Parameters by which the library calls whatever column it was given: the option that names it tells more."""
EXAMPLES = {
    "contributors": "frequency,x1,x2",
    "dims": "region,job",
    "keys": "age,sex",
    "request": "asked",
    "sensitive": "illness",
}
"""By setting a value as one is written."""
HELPFUL = {
    "missing": name_setting("missing", "drop"),
    "keys": name_setting("keys", "age,sex"),
    "duplicate": name_setting("microdata"),
    "number": name_setting("decimal", ","),
    "date": name_setting("kind", "category", "COLUMN"),
    "decimal": name_setting("kind", "category", "COLUMN"),
    "integer": name_setting("kind", "category", "COLUMN"),
}
"""By rule that cells break the setting that may be the way out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedCall:
    """A command as it was typed.

    Attributes:
        words: all of them.
        options: those that the command has.
        keys: those that the recipe may have that the command was given; none if it was given none.
        recipe: what that recipe says.
    """

    words: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    recipe: Mapping[str, object] = field(default_factory=dict[str, object])

    @classmethod
    def read(cls, command: Any, words: Sequence[str]) -> TypedCall:
        """Return the call of whichever command the words choose, starting from that of all verbs."""
        for word in words:
            if not hasattr(command, "commands"):
                break
            try:
                chosen = None if word.startswith("-") else command.get_command(None, word)
            except SekishoError:  # a verb of the version before
                break
            if chosen is None:
                break
            command = chosen
        names = {name for part in command.params for name in (*part.opts, *part.secondary_opts)}
        keys, recipe = _read_recipe(words)
        options = frozenset(name for name in names if name.startswith("--"))
        return cls(words=tuple(words), options=options, keys=keys, recipe=recipe)

    def find_option(self, name: str) -> str:
        """Return the option of a parameter; empty if the command has none."""
        known = name.removeprefix("--").replace("_", "-")
        other = OTHER_NAMES.get(known.replace("-", "_"), "").replace("_", "-")
        return next((option for option in (f"--{known}", f"--{other}") if option in self.options), "")

    def find_key(self, name: str) -> str:
        """Return the recipe's key of a parameter; empty if it has none."""
        if not self.keys:
            return ""
        from sekisho.gate.recipes.keys import RECIPE_KEYS  # the gate, which only a recipe needs

        known = name.removeprefix("--").replace("-", "_")
        keys = [key for key in (known, RECIPE_KEYS.get(known, "")) if key in self.keys]
        return next((key for key in keys if key in self.recipe), "".join(keys[:1]))

    def has(self, setting: Setting) -> bool:
        """Tell whether a setting can be said in this call."""
        return bool(self.find_option(setting.name) or self.find_key(setting.name))

    def write(self, setting: Setting) -> str:
        """Return a setting as this call says it: by an option, else by a key of its recipe or schema, else plainly."""
        option = self.find_option(setting.name)
        if option:
            value = f"{setting.of}={setting.value}" if setting.of else setting.value
            return f"{option} {value}" if value else option
        if not self.keys:
            return setting
        from sekisho.gate.recipes.keys import write_key  # the gate, which only a recipe needs

        return write_key(setting)

    def find_naming(self, value: object) -> str:
        """Return the options or keys whose values name something, such as a column that is not there."""
        names = {str(part) for part in value} if isinstance(value, list | tuple | set) else {str(value)}
        typed = [option for option, text in self._list_typed() if names & set(_split_value(text))]
        options = dict.fromkeys(option for option in typed if option in self.options)
        keys = [key for key, said in self.recipe.items() if key in self.keys and names & set(_list_texts(said))]
        return ", ".join(options or keys)

    def _list_typed(self) -> Iterator[tuple[str, str]]:
        for place, word in enumerate(self.words):
            option, joined, value = word.partition("=")
            if option.startswith("--"):
                yield option, value if joined else "".join(self.words[place + 1 : place + 2])


def _read_recipe(words: Sequence[str]) -> tuple[frozenset[str], Mapping[str, object]]:
    """Return the keys that a recipe among the words may have, and what it says; nothing where there is none."""
    path = next((Path(word) for word in words if word.endswith(RECIPE) and not word.startswith("-")), None)
    if path is None or not path.is_file():
        return frozenset(), {}
    from sekisho.data.files.settings import read_toml
    from sekisho.gate.recipe import list_recipe_keys  # the gate, which only a recipe needs

    try:
        recipe = read_toml(path)
    except SekishoError:  # that is what is wrong, and is being told
        return frozenset(), {}
    return list_recipe_keys(recipe), recipe


def _list_texts(said: object) -> Iterator[str]:
    if isinstance(said, str):
        yield said
    elif isinstance(said, Mapping):
        inner: Mapping[object, object] = said
        for name, value in inner.items():
            yield str(name)
            yield from _list_texts(value)
    elif isinstance(said, list):
        listed: list[object] = said
        for value in listed:
            yield from _list_texts(value)


def _split_value(text: str) -> list[str]:
    return [part.strip() for pair in text.split(",") for part in (pair, *pair.split("="), *pair.split(":"))]


def word_refusal(error: SekishoError, call: TypedCall) -> str:
    """Return an error's sentence with the options or keys that it is about, as far as the command has them."""
    sentence = _word_error(error, call)
    return sentence.write_settings(call.write) if isinstance(sentence, Said) else sentence


def _word_error(error: SekishoError, call: TypedCall) -> str:
    if isinstance(error, ParameterError):
        return _word_parameter(error, call)
    if isinstance(error, InputError) and error.named:
        return _name_before(call.find_naming(error.named) or call.find_naming(error.source), str(error))
    if isinstance(error, UnknownNameError):
        return _name_before(call.find_naming(error.name), str(error))
    encoding = name_setting("encoding")
    if isinstance(error, EncodingError) and call.has(encoding):
        hint = Said("{encoding} names the encoding", encoding=encoding)
        return Said("{sentence} ({hint})", sentence=str(error), hint=hint)
    return _word_faults(error, call) if isinstance(error, FaultsError) else str(error)


def _word_parameter(error: ParameterError, call: TypedCall) -> str:
    name = call.find_option(error.name) or call.find_key(error.name)
    if error.name in COLUMN_PARAMETERS and name not in call.words:
        name = call.find_naming(error.value) or name
    if name:
        plain = name.removeprefix("--")
        example = EXAMPLES.get(plain)
        hint = error.hint or (Said("such as {words}", words=name_setting(plain, example)) if example else "")
        return say_rule(name, error.rule, error.value, hint=hint)
    known = OTHER_NAMES.get(error.name)
    return str(error) if known is None else say_rule(known, error.rule, error.value, hint=error.hint)


def _word_faults(error: FaultsError, call: TypedCall) -> str:
    unknown = [fault.value or fault.column for fault in error.faults if fault.rule == "column"]
    sentence = _name_before(call.find_naming(unknown), str(error))
    helpful = dict.fromkeys(setting for fault in error.faults if (setting := _find_helpful(fault)) is not None)
    settings = [setting for setting in helpful if call.has(setting)]
    if error.hint or not settings:
        return sentence
    words = join_words(settings, ", ", ", ")
    hint = (
        Said("an option that may help: {words}", words=words)
        if all(call.find_option(setting.name) for setting in settings)
        else Said("a key that may help: {words}", words=words)
    )
    return Said("{sentence} ({hint})", sentence=sentence, hint=hint)


def _find_helpful(fault: Fault) -> Setting | None:
    """Return what may be the way out of a fault; another decimal mark only where one stands in the cell."""
    return None if fault.rule == "number" and "," not in fault.value else HELPFUL.get(fault.rule)


def _name_before(option: str, sentence: str) -> str:
    return Said("{option}: {sentence}", option=option, sentence=sentence) if option else sentence
