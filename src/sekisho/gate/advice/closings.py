"""Changes of a recipe that account for columns which leave and nobody speaks of: taken for keys, or left out.

What is tried asks for more than before, or lets less leave. That a column is harmless is a person's word and never
proposed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from sekisho.gate.account.answers import AccountAnswer
from sekisho.gate.advice.changes import Change, Edit, join_changes
from sekisho.protect.coarser_columns import OUT
from sekisho.words import Said, join_words

FEWEST_VALUES, FEWEST_ALIKE = 2, 5
"""The l and the k that are proposed where none is asked for."""
RECODERS = ("partition", "lattice")
"""Methods that keep the diversity of one sensitive column."""


def list_closings(
    keys: Sequence[str] | None,
    settings: Mapping[str, object],
    answers: Mapping[str, Sequence[AccountAnswer]],
    telling: Collection[str] = (),
) -> Iterator[Change]:
    """Give what accounts for open columns: for all of them at once first, then for each.

    Args:
        keys: what may be known of a person, as the recipe or the schema says; None where a recipe cannot say it.
        settings: the recipe's own keys.
        answers: by open column what would close it.
        telling: the columns that tell most people apart: as keys hardly anything would be left of them.
    """
    told = settings.get("coarser")
    left_out = set(cast("Mapping[str, object]", told)) if isinstance(told, Mapping) else set[str]()
    known = [name for name, closing in answers.items() if AccountAnswer.KEY in closing]
    dropped = [name for name, closing in answers.items() if AccountAnswer.DROP in closing and name not in left_out]
    yield from _ask_guarantees(settings, answers)
    unsaid, known = known, [] if keys is None else known
    apart = [name for name in dropped if name in telling]
    rest = [name for name in known if name not in apart]
    if apart and rest:
        yield join_changes((_take_for_keys(keys or (), rest), _leave_out(apart, unsaid)))
    yield from (_take_for_keys(keys or (), names) for names in _list_groups(known))
    yield from (_leave_out(names, unsaid) for names in _list_groups(dropped))


def _take_for_keys(keys: Sequence[str], names: Sequence[str]) -> Change:
    words = Said("take {columns} for known to others", columns=join_words(names, ", "))
    return Change(words=words, edits=(Edit(place=("keys",), value=[*keys, *names]),), columns=tuple(names))


def _leave_out(names: Sequence[str], unsaid: Sequence[str]) -> Change:
    """Return the change that leaves columns out; of those that nobody says anything of no loss is counted."""
    columns = join_words(names, ", ")
    words = Said("leave out {column}", column=columns)
    if set(names) <= set(unsaid):
        words = Said("leave out {columns}, which the loss does not count", columns=columns)
    edits = tuple(Edit(place=("coarser", name), value=OUT) for name in names)
    return Change(words=words, edits=edits, columns=tuple(names))


def _list_groups(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Give all names together, then each alone."""
    if len(names) > 1:
        yield names
    for name in names:
        yield (name,)


def _ask_guarantees(settings: Mapping[str, object], answers: Mapping[str, Sequence[AccountAnswer]]) -> Iterator[Change]:
    """Give guarantees that nothing asks for yet: of what is learnt of sensitive columns, and of who somebody is."""
    asked = settings.get("guarantees")
    named = set(cast("Mapping[str, object]", asked)) if isinstance(asked, Mapping) else set[str]()
    learnt = [name for name, closing in answers.items() if AccountAnswer.DIVERSE in closing]
    if learnt and not named & {"l", "l-diversity"}:
        words = Said(
            "ask for l = {least} of {columns} in each class",
            least=FEWEST_VALUES,
            columns=join_words(learnt, ", "),
        )
        edits = (Edit(place=("guarantees", "l"), value=FEWEST_VALUES), *_heed(settings, learnt[0]))
        yield Change(words=words, edits=edits)
    if any(AccountAnswer.ALIKE in closing for closing in answers.values()) and not named & {"k", "k-anonymity"}:
        words = Said("ask for k = {least} by all keys together", least=FEWEST_ALIKE)
        yield Change(words=words, edits=(Edit(place=("guarantees", "k"), value=FEWEST_ALIKE),))


def _heed(settings: Mapping[str, object], column: str) -> Iterator[Edit]:
    """Give what has methods keep so many values of a column that heed none yet."""
    methods = settings.get("methods")
    for number, method in enumerate(cast("list[Mapping[str, Any]]", methods)) if isinstance(methods, list) else ():
        if method.get("name") in RECODERS and not {"sensitive", "l", "t"} & set(method):
            yield Edit(place=("methods", number, "sensitive"), value=column)
            yield Edit(place=("methods", number, "l"), value=FEWEST_VALUES)
