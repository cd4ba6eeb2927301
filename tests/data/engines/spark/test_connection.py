"""Spark is an extra: what is missing, or does not answer, is said in one sentence and at once."""

from __future__ import annotations

import socket
from importlib.util import find_spec
from pathlib import Path

import pytest

import sekisho
from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.session import open_session
from sekisho.data.engines.spark import connection
from sekisho.data.engines.spark.connection import check_java, open_connection
from sekisho.errors import InputError, ParameterError


@pytest.mark.skipif(find_spec("pyspark") is not None, reason="pyspark is installed here")
def test_without_pyspark_the_line_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"engine must be installed, not 'spark'.*pip install '\.\[spark\]'"):
        open_session(EngineChoice(engine=Engine.SPARK, master="local[2]"), tmp_path)


@pytest.mark.parametrize("master", ["nowhere", "spark:/host:7077", "local[", "http://host", "sc://", "yarn "])
def test_what_is_no_address_is_refused(master: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"master must be spark://HOST:PORT, sc://HOST:PORT"):
        open_connection(master, tmp_path / "log")


def test_only_the_room_of_spark_names_pyspark() -> None:
    source = Path(sekisho.__file__).parent
    names = {file.relative_to(source) for file in source.rglob("*.py") if "pyspark" in file.read_text(encoding="utf-8")}
    assert names
    assert {file.parts[:3] for file in names} == {("data", "engines", "spark"), ("extras.py",)}


def test_nobody_who_listens_is_noticed_before_spark_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        with pytest.raises(InputError, match=rf"spark://127.0.0.1:{port}: no Spark answers there: connection refused"):
            connection.knock(f"spark://127.0.0.1:{port}")
        listener.listen()
        connection.knock(f"spark://127.0.0.1:1,127.0.0.1:{port}")  # one of several masters is enough
        connection.knock(f"sc://127.0.0.1:{port}/;user_id=somebody")
    monkeypatch.setattr(connection, "WAIT", 0.1)
    with pytest.raises(InputError, match="no Spark answers there: no such address"):
        connection.knock("spark://host:no-number")
    connection.knock("local[2]")


def test_java_is_found_or_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(InputError, match=r"Java: there is none. Spark's driver needs Java 17"):
        check_java()
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    for version, fits in (('11.0.2"', False), ('17.0.15"', True), ('21"', True)):
        program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version} 2025' >&2\n")
        program.chmod(0o755)
        if fits:
            check_java()
        else:
            with pytest.raises(InputError, match=r"bin/java: is version 11. Spark's driver needs Java 17"):
                check_java()
