import sqlite3
from contextlib import closing

import numpy as np
import pytest

from sightline.exceptions import SightlineError
from sightline.lab._record import Record
from sightline.lab._store import FORMAT, Cell, ResultStore


def cell(number=0):
    return Cell(f"key {number}", "iris", 0, number, "tree")


def record(number=0):
    return Record({"accuracy": 0.1 + number}, np.array([0, 1, number], dtype=np.int16))


def many_records(n):
    noise = np.random.RandomState(0).randint(0, 1000, size=(n, 2000)).astype(np.int16)
    return [(cell(number), Record({"accuracy": 0.5}, noise[number])) for number in range(n)]


def refusal(path, use=lambda store: None):
    with pytest.raises(SightlineError) as error, ResultStore(path) as store:
        use(store)
    return str(error.value)


def test_records_round_trip(tmp_path):
    with ResultStore(tmp_path / "results.sqlite") as store:
        store.add([(cell(0), record(0)), (cell(1), record(1))])
    with ResultStore(tmp_path / "results.sqlite") as store:
        assert store.known(["key 1", "key 2"]) == {"key 1"}
        ((found, stored),) = store.read(["key 1"])
        assert store.last_finished(["key 1"]) is not None
    assert found == cell(1)
    assert stored.numbers == {"accuracy": 1.1}
    assert stored.answers.tolist() == [0, 1, 1]
    assert stored.uniform_answers.tolist() == []


def test_more_keys_than_one_query_takes():
    with ResultStore() as store:
        store.add((cell(number), record(0)) for number in range(1200))
        assert len(store.known([f"key {number}" for number in range(1500)])) == 1200


def test_numbers_keep_every_bit():
    with ResultStore() as store:
        store.add([(cell(), Record({"x": 0.1 + 0.2, "grid": [[1 / 3]]}, np.zeros(0, dtype=np.int16)))])
        ((_, stored),) = store.read(["key 0"])
    assert stored.numbers == {"x": 0.1 + 0.2, "grid": [[1 / 3]]}


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("These are my notes, and they are long enough to be no header. " * 20)
    before = path.read_bytes()
    assert refusal(path) == f"{path} is not a results file. Name another one, or move it away."
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


def test_a_database_of_another_program(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE things (name TEXT)")
    connection.close()
    before = path.read_bytes()
    assert refusal(path) == f"{path} is an SQLite file of another program. Name another results file."
    assert path.read_bytes() == before


def test_a_newer_format_is_refused(tmp_path):
    path = tmp_path / "results.sqlite"
    with ResultStore(path):
        pass
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert refusal(path) == (
        f"{path} has results format 99, but this version of sightline writes {FORMAT}. Name another results "
        "file."
    )


def test_a_file_in_use_by_another_run(tmp_path):
    path = tmp_path / "results.sqlite"
    with ResultStore(path) as store:
        store.add([(cell(), record())])
        assert refusal(path) == (
            f"Another process is working on {str(path)!r}. Wait until it ends, or pass another file."
        )
        assert store.known(["key 0"]) == {"key 0"}


def test_a_file_locked_by_another_program(tmp_path, monkeypatch):
    path = tmp_path / "results.sqlite"
    with ResultStore(path) as store:
        store.add([(cell(0), record())])
        store._opened().execute("PRAGMA busy_timeout = 10")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(SightlineError) as error:
            store.add([(cell(1), record())])
        other.execute("ROLLBACK")
        other.close()
        assert str(error.value) == (
            f"{path} is locked by another program. Close it there, or name another results file."
        )
        store.add([(cell(2), record())])
        assert store.known([f"key {number}" for number in range(3)]) == {"key 0", "key 2"}


def test_a_full_disk_loses_nothing(tmp_path):
    path = tmp_path / "results.sqlite"
    first, second = many_records(20)[:10], many_records(20)[10:]
    with ResultStore(path) as store:
        store.add(first)
        (n_pages,) = store._opened().execute("PRAGMA page_count").fetchone()
        # SQLite then behaves as on a disk without room for another page.
        store._opened().execute(f"PRAGMA max_page_count = {n_pages}")
        with pytest.raises(SightlineError) as error:
            store.add(second)
    assert str(error.value) == (
        f"The disk is full. {path} keeps every result so far. Free some space and run again to resume."
    )
    with ResultStore(path) as store:
        keys = [each.key for each, _ in first + second]
        assert store.known(keys) == set(keys[:10])
        store.add(second)
        assert store.known(keys) == set(keys)


def test_no_such_folder(tmp_path):
    path = tmp_path / "nowhere" / "results.sqlite"
    assert refusal(path) == f"There is no folder {str(path.parent)!r} for the results file."
    assert refusal(tmp_path) == f"{tmp_path} is a folder. Name a results file."


def test_a_reader_does_not_wait_for_the_writer(tmp_path):
    path = tmp_path / "results.sqlite"
    with ResultStore(path) as store:
        store.add([(cell(0), record())])
        with ResultStore(path, is_read_only=True) as reader:
            assert reader.known(["key 0"]) == {"key 0"}
            store.add([(cell(1), record())])
            assert reader.known(["key 1"]) == {"key 1"}
            with pytest.raises(
                SightlineError, match="cannot be written: attempt to write a readonly database"
            ):
                reader.add([(cell(2), record())])


def test_nothing_to_read(tmp_path):
    path = tmp_path / "results.sqlite"
    with pytest.raises(SightlineError) as error, ResultStore(path, is_read_only=True):
        pass
    assert str(error.value) == f"There is no results file {str(path)!r}. Run the experiment first."
    assert list(tmp_path.iterdir()) == []


def test_closed():
    with pytest.raises(SightlineError) as error:
        ResultStore().known(["key"])
    assert str(error.value) == "The results file is closed. Use it in a with block."


def test_a_changed_result_is_refused_and_files_without_checksums_are_read(tmp_path):
    path = tmp_path / "results.sqlite"
    with ResultStore(path) as store:
        store.add([(cell(0), record(0))])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE cells SET numbers = replace(numbers, '0.1', '0.9')")
    sentence = refusal(path, lambda store: list(store.read(["key 0"])))
    assert sentence == (
        f"{path} is damaged: the result of 'tree' on 'iris' (repeat 0, fold 0) does not match its checksum. "
        "Restore a copy, or delete the file to run again."
    )
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE checksums")
    with ResultStore(path, is_read_only=True) as store:
        ((_, stored),) = store.read(["key 0"])
    assert stored.numbers == {"accuracy": 0.9}
