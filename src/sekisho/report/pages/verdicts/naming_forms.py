"""What stands in a column that names people, in two languages."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.data.identity.forms import Form
from sekisho.words import Said

FORMS: Mapping[str, Said] = {
    Form.EMAIL: Said("e-mail addresses"),
    Form.LINK: Said("links"),
    Form.NET: Said("addresses of the net"),
    Form.DEVICE: Said("numbers of devices"),
    Form.PHONE: Said("telephone numbers"),
    Form.ADDRESS: Said("street addresses"),
    Form.ACCOUNT: Said("numbers of accounts or cards"),
    Form.MY_NUMBER: Said("numbers with the check digit of My Number"),
    Form.OFFICIAL: Said("numbers that an office gives to one person or firm"),
    Form.COORDINATES: Said("exact coordinates"),
    Form.NAMES: Said("names of people"),
    Form.PARTS: Said("parts of another column that names people"),
    Form.WORDS: Said("words that may be names"),
    Form.SENTENCES: Said("texts that speak of people"),
    Form.PROSE: Said("free text"),
    Form.CODES: Said("codes of which each stands for few rows"),
}
