"""What refusals of the desk mean: here sits the one who asks, and there is no database, no referee and no account."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.server.web.words import REFUSALS
from sekisho.words import Said

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
