"""The counting process of a case: answers, restarts, dropped questions, and columns that are not read twice."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest
from tests.server.desk.hospital import write_hospital

from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.frame.dataset import Role
from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.counter import CountAnswer, Counter, Counters, CountQuestion, Later
from sekisho.server.desk.counting.columns import ColumnStore, StoredColumns, read_schema, recode_gaps
from sekisho.server.desk.counting.process import CountingDesk, Lane, serve
from sekisho.server.desk.edits import DeskEdit, set_file_form, set_missing_texts, set_role
from sekisho.server.desk.plain_data import Plain
from sekisho.server.desk.versions import Version

LONG = 60.0


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp("desk")
    return DeskFolder(folder / "state").create(write_hospital(folder))


@pytest.fixture(scope="module")
def counter(case: Case) -> Iterator[Counter]:
    counter = Counter(folder=case.folder)
    yield counter
    counter.close()


def ask(counter: Counter, name: str, version: int = 1, **arguments: object) -> CountAnswer:
    answer = counter.ask(CountQuestion(name=name, version=version, arguments=arguments), seconds=LONG)
    assert isinstance(answer, CountAnswer)
    return answer


def change(case: Case, *edits: DeskEdit) -> int:
    version = case.versions.write(edits, based_on=case.versions.head)
    assert isinstance(version, Version)
    return version.number


def test_what_was_understood_of_a_file_of_a_hospital(case: Case, counter: Counter) -> None:
    look = ask(counter, "look").result
    columns = {one["name"]: one for one in look["columns"]}
    assert look["form"]["encoding"] == "cp932"
    assert look["rows"] == 300
    assert (columns["氏名"]["role"], columns["氏名"]["asked"]) == (None, True)
    assert columns["生年月日"]["form"] == "wareki"
    assert columns["収縮期血圧"]["missing_texts"] == ["未測定"]
    assert columns["収縮期血圧"]["missing"] == case.file.read_bytes().decode("cp932").count("未測定")
    assert sum(columns["収縮期血圧"]["bins"]) == 300 - columns["収縮期血圧"]["missing"]
    assert [one["asked"] for one in look["columns"]].count(True) == 1
    assert columns["診断名"]["why"][0]["ja"]


def test_rows_are_read_and_those_who_it_is_masked(counter: Counter) -> None:
    rows = ask(counter, "rows").result
    assert rows["hidden"] == ["患者番号", "氏名"]
    assert {row[0] for row in rows["rows"]} | {row[1] for row in rows["rows"]} == {"•••"}
    assert all(len(row[2]) == 10 for row in rows["rows"])  # days of eras as ISO has them
    shown = ask(counter, "rows", shown=True).result
    assert shown["rows"][0][0] == "P00000"
    assert not shown["masked"]


def test_counts_agree_with_the_file(case: Case, counter: Counter) -> None:
    lines = case.file.read_bytes().decode("cp932").split("\r\n")[1:-1]
    pairs = [tuple(line.split(",")[3:5]) for line in lines]
    answer = ask(counter, "alone", keys=["性別", "住所"]).result
    assert answer["classes"] == len(set(pairs))
    assert answer["records"] == 300
    assert ask(counter, "alone", keys=[]).result["alone"] == 0
    usual = ask(counter, "alone").result
    assert usual["keys"] == ["生年月日", "性別", "住所", "受診日"]


def test_faults_of_an_input_and_of_ours_are_told_apart(counter: Counter) -> None:
    wrong = ask(counter, "alone", keys=["氏名"]).failure
    assert wrong is not None
    assert wrong["key"] == "input"
    assert "氏名" in wrong["words"]["en"]
    ours = ask(counter, "no such question").failure
    assert ours is not None
    assert ours["key"] == "fault"


def test_a_process_that_was_killed_is_started_again(case: Case) -> None:
    counter = Counters().open(case.folder)
    before = ask(counter, "worst").result
    assert counter.pid is not None
    os.kill(counter.pid, signal.SIGKILL)
    end = monotonic() + LONG
    answer = counter.ask(CountQuestion(name="alone", version=1), seconds=LONG)
    while isinstance(answer, Later) and monotonic() < end:
        answer = counter.ask(CountQuestion(name="alone", version=1), seconds=LONG)
    assert isinstance(answer, CountAnswer)
    assert answer.result["worst"] == before["worst"]
    counter.close()
    assert counter.pid is None


def test_a_question_at_which_the_process_ends_twice_is_given_up(tmp_path: Path) -> None:
    counter = Counter(folder=tmp_path, command=(sys.executable, "-c", "input(); raise SystemExit(1)"))
    question = CountQuestion(name="alone", version=1)
    assert isinstance(counter.ask(question, seconds=LONG), Later)
    end = monotonic() + LONG
    answer = counter.ask(question, seconds=LONG)
    while isinstance(answer, Later) and monotonic() < end:
        answer = counter.ask(question, seconds=LONG)
    assert isinstance(answer, CountAnswer)
    assert answer.failure == {"key": "memory"}


def test_an_answer_that_is_not_there_in_time_comes_later(tmp_path: Path) -> None:
    slow = (
        "import sys, time, json\n"
        "for line in sys.stdin:\n"
        "    time.sleep(0.5)\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'result': {'n': 1}}), flush=True)"
    )
    counter = Counter(folder=tmp_path, command=(sys.executable, "-c", slow))
    question = CountQuestion(name="alone", version=1)
    assert counter.ask(question, seconds=0.01) == Later(version=1)
    assert counter.ask(question, seconds=LONG) == CountAnswer(version=1, result={"n": 1})
    counter.close()


def test_waiting_questions_of_older_versions_are_dropped() -> None:
    told: list[Plain] = []
    lane = Lane(answer=lambda question: {"result": question["id"]}, tell=told.append)
    for number, version in enumerate((3, 4, 4, 2)):
        lane.put({"id": number, "version": version})
    assert told == [{"id": 0, "dropped": True}]


def test_it_ends_when_nobody_asks(case: Case) -> None:
    class Silent(StringIO):
        def __next__(self) -> str:
            sleep(LONG)
            raise StopIteration

    start = monotonic()
    serve(case.folder, Silent(), StringIO(), idle=0.2)
    assert monotonic() - start < LONG / 2
    answers = StringIO()
    serve(case.folder, StringIO(), answers)
    assert not answers.getvalue()


def open_columns(case: Case, version: int) -> StoredColumns:
    store = ColumnStore(folder=case.counts, path=case.file, digest=case.original.sha256)
    return store.open(read_schema(case.versions.read(version).folder))


def test_another_role_reads_nothing_again_and_another_reading_does(
    case: Case, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(counter, "alone")

    def refuse(path: Path, schema: SchemaFile) -> None:
        pytest.fail(f"{path.name} is read again by {len(schema.columns)} columns")

    monkeypatch.setattr("sekisho.server.desk.counting.columns.read_own", refuse)
    files = case.versions.read().files
    other = change(case, *set_role(files, case.columns, "性別", Role.OTHER))
    assert list(open_columns(case, other).select(["性別", "生年月日"])) == ["性別", "生年月日"]
    gone = change(case, *set_role(case.versions.read().files, case.columns, "性別", None))
    assert list(open_columns(case, gone).select(["生年月日"])) == ["生年月日"]
    read = change(case, *set_missing_texts("収縮期血圧", []))
    with pytest.raises(pytest.fail.Exception):
        open_columns(case, read).select(["収縮期血圧"])
    assert list(open_columns(case, read).select(["生年月日"])) == ["生年月日"]
    form = change(case, *set_file_form(case.versions.read().files, "date_format", "%Y/%m/%d"))
    with pytest.raises(pytest.fail.Exception):
        open_columns(case, form).select(["生年月日"])


def test_a_missing_cell_is_the_last_value(case: Case) -> None:
    column = open_columns(case, 1).select(["収縮期血圧"])["収縮期血圧"]
    codes = recode_gaps(column)
    assert codes.values[-1] is None
    texts = ["" if codes.values[code] is None else codes.values[code] for code in codes.codes.tolist()]
    assert texts == [column.texts[code] for code in column.codes.tolist()]
    assert np.array_equal(codes.missing, column.codes == 0)


def test_a_damaged_file_is_read_again(case: Case) -> None:
    columns = open_columns(case, 1)
    before = columns.select(["住所"])["住所"]
    for place in case.counts.glob("*.codes.arrow"):
        place.write_bytes(place.read_bytes()[:20])
    again = open_columns(case, 1).select(["住所"])["住所"]
    assert np.array_equal(again.codes, before.codes)
    assert again.texts == before.texts


def test_answers_are_plain_json(case: Case) -> None:
    desk = CountingDesk(folder=case.folder)
    for name in ("rows", "look", "alone", "worst", "propose"):
        answer = desk.answer({"id": 1, "name": name, "version": 1, "arguments": {}})
        assert "result" in answer
        json.dumps(answer, allow_nan=False)
