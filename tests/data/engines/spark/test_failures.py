"""An error of ours crosses Spark as what it was; one of Spark's becomes one sentence."""

from __future__ import annotations

import pytest

from sekisho.data.engines.spark.connection import CarriedError, explain_error, explained, find_reason, unpack_error
from sekisho.errors import (
    BugError,
    Fault,
    FaultsError,
    InfeasibleError,
    InputError,
    MissingFileError,
    ParameterError,
    SekishoError,
    UnknownNameError,
)
from sekisho.words import quote_words

FAULT = Fault(row=3, column="年齢", rule="even", value="7>", message=quote_words("7 is odd <really>"))
JAVA = """An error occurred while calling o89.parquet.
: org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme "foo"
\tat org.apache.hadoop.fs.FileSystem.getFileSystemClass(FileSystem.java:3586)
"""
PYTHON = """
  An exception was thrown from the Python worker. Please see the stack trace below.
[PYTHON_EXCEPTION] An exception was thrown from the Python worker: Traceback (most recent call last):
  File "worker.py", line 4327, in invoke_udf
    run_process()
ZeroDivisionError: division by zero
 SQLSTATE: 38000
"""


@pytest.mark.parametrize(
    "error",
    [
        ParameterError("k", quote_words("be at least 2"), 1, hint="two"),
        FaultsError("people.parquet", [FAULT, FAULT], count=9),
        MissingFileError("people.parquet"),
        UnknownNameError("method", "group", ["groups"]),
        InfeasibleError("nobody is left"),
    ],
)
def test_an_error_of_ours_arrives_as_what_it_was(error: SekishoError) -> None:
    around = f"[PYTHON_EXCEPTION] worker: Traceback (most recent call last):\n failures.CarriedError: {CarriedError(error)}\n"
    arrived = explain_error(RuntimeError(around))
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert arrived.__dict__ == error.__dict__


def test_a_text_without_one_of_ours_carries_none() -> None:
    assert unpack_error(PYTHON) is None


def test_spark_s_own_errors_become_one_sentence() -> None:
    assert find_reason(JAVA) == 'No FileSystem for scheme "foo"'
    assert str(explain_error(RuntimeError(JAVA), "foo://x")) == 'foo://x: No FileSystem for scheme "foo"'
    missing = explain_error(RuntimeError("[PATH_NOT_FOUND] Path does not exist: file:/a/b.parquet. SQLSTATE: 42K03"))
    assert isinstance(missing, MissingFileError)
    assert str(missing) == "file:/a/b.parquet: no such file"
    task = "(org.apache.spark.SparkException) [TASK_WRITE_FAILED] Task failed.\nCaused by: [CAST_INVALID] 'w0' is no number. SQLSTATE: 22018"
    assert find_reason(task) == "'w0' is no number."
    assert find_reason("") == "unknown reason"


def test_a_mistake_of_ours_there_is_a_mistake_of_ours_here() -> None:
    bug = explain_error(RuntimeError(PYTHON))
    assert isinstance(bug, BugError)
    assert "ZeroDivisionError: division by zero" in str(bug)
    absent = explain_error(RuntimeError(PYTHON + "ModuleNotFoundError: No module named 'sekisho'"))
    assert isinstance(absent, InputError)
    assert "executors have no sekisho" in str(absent)


def test_errors_of_ours_pass_and_others_are_explained() -> None:
    with pytest.raises(InfeasibleError, match="nobody"), explained():
        raise InfeasibleError("nobody")
    with pytest.raises(InputError, match="here: unlucky"), explained("here"):
        raise RuntimeError("unlucky")
