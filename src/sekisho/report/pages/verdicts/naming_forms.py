"""What stands in a column that names people, in two languages."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.data.identity.forms import IdentityForm
from sekisho.words import Said

FORMS: Mapping[str, Said] = {
    IdentityForm.EMAIL: Said("e-mail addresses"),
    IdentityForm.LINK: Said("links"),
    IdentityForm.NET: Said("addresses of the net"),
    IdentityForm.DEVICE: Said("numbers of devices"),
    IdentityForm.PHONE: Said("telephone numbers"),
    IdentityForm.ADDRESS: Said("street addresses"),
    IdentityForm.ACCOUNT: Said("numbers of accounts or cards"),
    IdentityForm.MY_NUMBER: Said("numbers with the check digit of My Number"),
    IdentityForm.OFFICIAL: Said("numbers that an office gives to one person or firm"),
    IdentityForm.COORDINATES: Said("exact coordinates"),
    IdentityForm.NAMES: Said("names of people"),
    IdentityForm.PARTS: Said("parts of another column that names people"),
    IdentityForm.WORDS: Said("words that may be names"),
    IdentityForm.SENTENCES: Said("texts that speak of people"),
    IdentityForm.PROSE: Said("free text"),
    IdentityForm.CODES: Said("codes of which each stands for few rows"),
}
