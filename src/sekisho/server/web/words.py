"""What refusals and faults mean on every page, by their rules or statuses."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.words import Said

REFUSALS: Mapping[str, Said] = {
    "400": Said("The request cannot be read."),
    "404": Said("There is nothing here."),
    "405": Said("This address takes no such request."),
    "408": Said("The request did not arrive in time."),
    "413": Said("The file is too large."),
    "415": Said("The request is of a kind that is not taken here."),
    "422": Said("Something is not as it must be; everything is listed below."),
    "429": Said("Too many requests: please wait a little."),
    "500": Said("A fault of ours; it is written down."),
    "csrf": Said("The form was too old: load the page again."),
}
"""A server whose refusals mean something else says so in a mapping of its own."""
FAULTS: Mapping[str, Said] = {
    "kind": Said("This file is not asked for here."),
    "zip": Said("Either this is no zip archive, or it is one in the field of another file."),
    "missing": Said("The file is missing."),
    "empty": Said("The file is empty."),
    "size": Said("The file is too large."),
    "name": Said("The archive holds a file of another name."),
    "link": Said("The archive holds a link."),
    "encryption": Said("The archive is encrypted."),
    "method": Said("The archive is packed by another method."),
    "ratio": Said("The archive unpacks to too much."),
    "count": Said("The archive holds too many files."),
    "header": Said("The archive's headers disagree."),
    "overlap": Said("The archive's files overlap."),
    "archive": Said("The archive cannot be read."),
    "target": Said("The release that it attacks is not valid."),
    "string_too_short": Said("Too short."),
    "string_too_long": Said("Too long."),
    "string_pattern_mismatch": Said("Holds characters that are not allowed."),
    "rows": Said("The file has too many rows."),
    "string_type": Said("Must be a text."),
    "enum": Said("Must be one of the choices."),
    "be a name that is not taken": Said("Must be a name that is not taken."),
}
