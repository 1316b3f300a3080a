"""The results file: an SQLite file that stores every result when it is finished."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from sightline.checksums import checksum_of
from sightline.exceptions import SightlineError
from sightline.files import file_lock
from sightline.lab._record import Record

APPLICATION_ID = 0x5347_4C4A
"""Identifies our files, in SQLite's own field for that purpose."""

FORMAT = 1
"""Raise it when the table changes. Files of another format are refused, never rewritten."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS cells (
    key TEXT PRIMARY KEY,
    data TEXT NOT NULL, repeat INTEGER NOT NULL, fold INTEGER NOT NULL, learner TEXT NOT NULL,
    numbers TEXT NOT NULL, answers BLOB NOT NULL, uniform_answers BLOB NOT NULL,
    finished TEXT NOT NULL
) WITHOUT ROWID
"""
CHECKSUMS = """
CREATE TABLE IF NOT EXISTS checksums (key TEXT PRIMARY KEY, checksum TEXT NOT NULL) WITHOUT ROWID
"""
"""Apart from the results, so that files written before can be read and continued."""

KEYS_PER_QUERY = 500


class Cell(NamedTuple):
    """One learner in one fold of one repeat on one data set.

    Attributes
    ----------
    key : str
        A hash of everything that the result depends on: rows, folds, learner, code.
    data, learner : str
        Names, for people who open the file.
    repeat, fold : int
        Which fold of which repeat.
    """

    key: str
    data: str
    repeat: int
    fold: int
    learner: str


class ResultStore:
    """Results by the hash of what they depend on; a context manager.

    A result is found only for the same rows, folds, parameters and code, so one file can hold
    several experiments and versions without mixing them. One process writes at a time. Results
    are on disk when ``add`` returns.

    Parameters
    ----------
    path : path-like, optional
        The file, created if needed; None keeps the results in memory.
    is_read_only : bool, default=False
        Open an existing file for reading, even while another process adds to it.

    Raises
    ------
    SightlineError
        On entering, if the file is not a results file, has another format, is damaged or in use.
        On adding, if it cannot be written; earlier results are kept.
    """

    def __init__(self, path: str | Path | None = None, is_read_only: bool = False) -> None:
        self.path = None if path is None else Path(path)
        self.is_read_only = is_read_only
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        self._exit = ExitStack()
        with self._exit as entered:
            if self.path is not None and not self.is_read_only:
                self._check_path(self.path)
                entered.enter_context(file_lock(self.path))
            self._connection = entered.enter_context(closing(self._connected()))
            self._check_origin(self._connection)
            if not self.is_read_only:
                self._prepare(self._connection)
            self._exit = entered.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection = None
        self._exit.close()

    def _check_path(self, path: Path) -> None:
        if not path.parent.is_dir():
            raise SightlineError(f"There is no folder {str(path.parent)!r} for the results file.")
        if path.is_dir():
            raise SightlineError(f"{path} is a folder. Name a results file.")

    def _connected(self) -> sqlite3.Connection:
        with self._in_words("opened"):
            if self.path is None:
                return sqlite3.connect(":memory:", isolation_level=None)
            if not self.is_read_only:
                return sqlite3.connect(self.path, timeout=5.0, isolation_level=None)
            if not self.path.is_file():
                raise SightlineError(
                    f"There is no results file {str(self.path)!r}. Run the experiment first."
                )
            return sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)

    def _check_origin(self, connection: sqlite3.Connection) -> None:
        with self._in_words("opened"):
            (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
        is_ours = application == APPLICATION_ID
        if not is_ours and (n_tables or application or self.is_read_only):
            raise SightlineError(
                f"{self.path} is an SQLite file of another program. Name another results file."
            )
        if is_ours and version != FORMAT:
            raise SightlineError(
                f"{self.path} has results format {version}, but this version of sightline writes {FORMAT}. "
                "Name another results file."
            )

    def _prepare(self, connection: sqlite3.Connection) -> None:
        with self._in_words("written"):
            # With a write-ahead log, a killed process leaves the file as of the last commit.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            connection.execute(SCHEMA)
            connection.execute(CHECKSUMS)
            connection.execute("COMMIT")

    def add(self, results: Iterable[tuple[Cell, Record]]) -> None:
        """Store results, all or none.

        Parameters
        ----------
        results : iterable of (Cell, Record)
            They replace results with the same keys.
        """
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [(*cell, *record.to_row(), finished) for cell, record in results]
        with self._in_words("written"), self._transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            checksums = [(row[0], _checksum(row[:-1])) for row in rows]
            connection.executemany("INSERT OR REPLACE INTO checksums VALUES (?, ?)", checksums)

    def known(self, keys: Sequence[str]) -> set[str]:
        """Return the keys that have results."""
        return {key for key, *_ in self._select("key", keys)}

    def read(self, keys: Sequence[str]) -> Iterator[tuple[Cell, Record]]:
        """Yield the results that exist for these keys."""
        columns = "key, data, repeat, fold, learner, numbers, answers, uniform_answers"
        checksums = dict(self._select("key, checksum", keys, "checksums"))
        for row in self._select(columns, keys):
            key, data, repeat, fold, learner, *record = row
            if checksums.get(key, _checksum(row)) != _checksum(row):
                raise SightlineError(
                    f"{self.path} is damaged: the result of {learner!r} on {data!r} (repeat {repeat}, fold "
                    f"{fold}) does not match its checksum. Restore a copy, or delete the file to run again."
                )
            yield Cell(key, data, repeat, fold, learner), Record.from_row(*record)

    def last_finished(self, keys: Sequence[str]) -> str | None:
        """Return when the last result for these keys was stored."""
        return max((finished for (finished,) in self._select("finished", keys)), default=None)

    def _select(self, columns: str, keys: Sequence[str], table: str = "cells") -> Iterator[tuple[Any, ...]]:
        with self._in_words("read"):
            if not self._has_table(table):
                return
            for start in range(0, len(keys), KEYS_PER_QUERY):
                some = keys[start : start + KEYS_PER_QUERY]
                marks = ", ".join("?" * len(some))
                yield from self._opened().execute(
                    f"SELECT {columns} FROM {table} WHERE key IN ({marks})", some
                )

    def _has_table(self, name: str) -> bool:
        """Whether the file has a table. One written before checksums existed lacks theirs."""
        query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
        return bool(self._opened().execute(query, [name]).fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._opened()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            raise SightlineError("The results file is closed. Use it in a with block.")
        return self._connection

    @contextmanager
    def _in_words(self, done: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise SightlineError(self._sentence(error, done)) from error

    def _sentence(self, error: sqlite3.Error, done: str) -> str:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return (
                f"The disk is full. {self.path} keeps every result so far. Free some space and run again to "
                "resume."
            )
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return f"{self.path} is locked by another program. Close it there, or name another results file."
        if code == sqlite3.SQLITE_NOTADB:
            return f"{self.path} is not a results file. Name another one, or move it away."
        kept = " Earlier results are kept." if done == "written" else ""
        return f"{self.path} cannot be {done}: {error}.{kept}"


def _checksum(row: Sequence[Any]) -> str:
    """Return the checksum of a result's cells, whatever their types."""
    return checksum_of(b"\0".join(cell if isinstance(cell, bytes) else repr(cell).encode() for cell in row))
