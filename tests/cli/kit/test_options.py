"""A group of options is one parameter of a command and several of its command line; nothing of either may be lost."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from sekisho.cli.kit.options import expand_options
from sekisho.errors import BugError


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    separator: Annotated[str | None, typer.Option("--separator", help="Between the cells.")] = None
    decimal: Annotated[str, typer.Option("--decimal")] = "."


@dataclass(frozen=True, slots=True, kw_only=True)
class LongForm(Form):
    places: Annotated[int, typer.Option("--places")]
    trees: Annotated[list[str] | None, typer.Option("--tree")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    width: float = 1.0


def _command() -> tuple[typer.Typer, list[Any]]:
    app, seen = typer.Typer(), list[Any]()

    @app.command()
    @expand_options
    def show(source: str, *, form: LongForm, as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
        """Show a file."""
        seen.append((source, form, as_json))

    return app, seen


def test_what_is_given_arrives_in_the_group_and_the_rest_has_its_defaults() -> None:
    app, seen = _command()
    asked = ["t.csv", "--tree", "a", "--tree", "b", "--places", "3", "--decimal", ",", "--json"]
    assert CliRunner().invoke(app, asked).exit_code == 0
    assert CliRunner().invoke(app, ["t.csv", "--places", "1"]).exit_code == 0
    assert seen == [
        ("t.csv", LongForm(decimal=",", places=3, trees=["a", "b"]), True),
        ("t.csv", LongForm(places=1), False),
    ]


def test_a_field_without_a_default_must_be_given() -> None:
    app, seen = _command()
    assert CliRunner().invoke(app, ["t.csv"]).exit_code == 2
    assert seen == []


def test_the_help_is_the_command_s_with_every_option_of_the_group() -> None:
    told = CliRunner().invoke(_command()[0], ["--help"], env={"COLUMNS": "100", "NO_COLOR": "1"}).output
    assert "Show a file." in told
    assert "Between the cells." in told
    assert all(option in told for option in ("--separator", "--decimal", "--places", "--tree", "--json"))


def test_the_fields_stand_where_the_group_stood() -> None:
    @expand_options
    def show(source: str, *, form: Form, last: int = 1) -> None:
        del source, form, last

    assert list(signature(show).parameters) == ["source", "separator", "decimal", "last"]


def test_called_from_python_the_group_has_its_defaults() -> None:
    @expand_options
    def show(source: str, *, form: Form) -> tuple[str, Form]:
        return source, form

    assert show("t.csv", decimal=",") == ("t.csv", Form(decimal=","))


def test_two_options_of_one_name_are_a_bug() -> None:
    def show(*, form: Form, decimal: str) -> None:
        del form, decimal

    with pytest.raises(BugError, match="two parameters of one command are named decimal"):
        expand_options(show)


def test_a_field_that_is_no_option_is_a_bug() -> None:
    def show(*, plain: Plain) -> None:
        del plain

    with pytest.raises(BugError, match="the field width of a group of options is no option"):
        expand_options(show)
