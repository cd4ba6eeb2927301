"""What refusals of the desk mean (here is no database, no referee and no account), and what methods do."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.server.web.words import REFUSALS
from sekisho.words import Said, Setting

CONTROL_WORDS: Mapping[str, Said] = {
    "keys": Said("“others may know it”"),
    "sensitive": Said("“must stay hidden”"),
    "harmless": Said("“harmless, because …”"),
    "drop": Said("“leave it out”"),
}
"""What the controls say that write a setting: on a page where one clicks nobody types an option."""
NO_ROOM = Said("There is no room left on the disk. Nothing was changed.")
DESK_REFUSALS: Mapping[str, Said] = {
    **REFUSALS,
    "401": Said("This address was used already; open the desk again"),
    "403": Said("The form was too old: load the page again."),
    "409": Said("This was changed meanwhile: load the page again."),
    "503": Said("This takes longer than usual: please try again."),
    "507": NO_ROOM,
    "room": NO_ROOM,
}
DEEDS_OF_METHODS: Mapping[str, Said] = {
    "partition": Said("people alike in classes; each class is written only as coarsely as it must be"),
    "lattice": Said("one step of its tree for the whole of a column"),
    "suppress": Said("single cells are hidden"),
    "delete-small": Said("people of small classes are left out"),
    "microaggregate": Said("small groups bear their mean, median or most frequent value"),
    "pram": Said("values are changed by chance"),
    "groups": Said("the same rows for all members of a group, losing as little as possible"),
    "similar-length": Said("people of about as many rows in groups"),
    "coarsen": Said("cells drawn by chance become coarser"),
    "erase": Said("cells and rows drawn by chance are hidden"),
    "pseudonymise": Said("names are replaced, nothing else"),
}
"""What the methods do that the desk offers, in a few plain words."""


def name_control(setting: Setting) -> str:
    """Return a setting as the desk's control says it; one without a control of its own is named plainly."""
    return CONTROL_WORDS.get(str(setting.figures["name"]), setting)
