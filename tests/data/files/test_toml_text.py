"""Whatever the text, TOML reads it back, and a comment stays a comment."""

from __future__ import annotations

import tomllib

from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.files.toml_text import TomlText, write_value

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(name=TEXTS, value=TEXTS, comment=TEXTS)
@example(name="", value='"\\\n\x7f\x85\u2028', comment="a\nkey = 1")
def test_names_values_and_comments(name: str, value: str, comment: str) -> None:
    text = TomlText()
    text.say(comment)
    text.set(name, value, comment)
    text.offer("offered", value, comment)
    assert tomllib.loads(text.render().decode()) == {name: value}


def test_values_of_every_kind() -> None:
    values = {"flag": True, "count": 5, "list": ["a", 1], "table": {"unit price": 1.5}}
    text = "\n".join(f"{key} = {write_value(value)}" for key, value in values.items())
    assert tomllib.loads(text) == values
