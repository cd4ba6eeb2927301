"""People erased from a register by their digests: an entry of its own says so, and the chain stays what it was.

Who asks to be erased is no longer known again: his digest, and the classes that fit him, go from what is kept of every
release. No earlier entry is touched: the new one names, for each release that he was in, the digest of what is kept
now. What has left stays attackable: the published files, and so the sizes of all classes, stay. If he comes again he
counts as new, and what he was in before is not counted with it.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sekisho.errors import ParameterError
from sekisho.gate.register.book import Intent, Register, RegisterProposal, list_file, pack_people
from sekisho.gate.register.entries import Binding, RegisteredPeople, RegisterEntry
from sekisho.gate.register.key import RegisterKey
from sekisho.words import Said

ERASED = "erase"
"""What such an entry has as its method."""


def erase_people(
    register: Register, key: RegisterKey, identifiers: Sequence[str], *, made: str, fold: bool = False, note: str = ""
) -> RegisterEntry | None:
    """Erase people from what is kept of all releases; return the entry that says so, None where nobody was in any.

    Args:
        register: the register.
        key: its key.
        identifiers: of the people.
        made: when, in UTC.
        fold: whether large and small letters of identifiers are the same, in what was entered before as well.
        note: what else is to be said of it; it must name nobody.

    Raises:
        InputError: the key is another one, or something cannot be written.
        ParameterError: nobody is named.
    """
    if not identifiers:
        raise ParameterError("--id", Said("name somebody"), None)
    register.check_key(key)
    number = register.head.number
    named = {digest: place for place, digest in enumerate(key.digest(number, identifiers, fold=fold))}
    if fold:
        named |= key.digest_spellings(number, identifiers)
    gone = pl.Series("person", list(named), dtype=pl.Binary)
    with register.hold() as held:
        found, left = set[int](), dict[int, bytes]()
        for entry in held.entries:
            if entry.people.binding is not Binding.KEYED or entry.people.file is None:
                continue
            people = held.read_people(entry)
            erased = people["person"].is_in(gone.implode())
            if erased.any():
                found |= {named[digest] for digest in people["person"].filter(erased).to_list()}
                left[entry.number] = pack_people(people.filter(~erased))
        if not left:
            return None
        entry = RegisterEntry(
            number=len(held.entries) + 1,
            previous=held.last,
            made=made,
            shape=held.entries[min(left) - 1].shape,
            population="",
            method=ERASED,
            people=RegisteredPeople(binding=Binding.KEYED, count=len(found)),
            erased={str(number): list_file(content) for number, content in left.items()},
            note=note,
        )
        held.prepare(RegisterProposal(entry=entry, published={}, trees={}, left=left), Intent.of_register())
        held.commit()
        return entry
