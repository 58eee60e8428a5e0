"""The engines that hold votes: DuckDB on this machine, Spark where the data lie on a cluster."""

from __future__ import annotations

import gzip
import importlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import ibis
import ibis.expr.types as ir

from aggregation.errors import HromadaError, Where

FileKind = Literal["parquet", "csv", "arrow"]
OVERFLOW, DATABASE = ".hromada-votes-", "votes.duckdb"
"""How the folder of what exceeds memory begins, and DuckDB's file in it, which DuckDB locks while it runs."""


@contextmanager
def open_duckdb(*, memory: str, folder: Path) -> Iterator[Any]:
    """A DuckDB of its own that takes no more than `memory` (such as 3GB); what is more goes to files in `folder`.

    Files that a killed run left in `folder` are deleted. Raises HromadaError for an amount that DuckDB does not take.
    """
    _delete_abandoned(folder)
    with tempfile.TemporaryDirectory(prefix=OVERFLOW, dir=folder) as spilled:
        engine = ibis.duckdb.connect(str(Path(spilled) / DATABASE), temp_directory=spilled)
        try:
            for setting, value in {"memory_limit": memory, "preserve_insertion_order": False}.items():
                _set(engine, setting, value)
            yield engine
        finally:
            engine.disconnect()


def _delete_abandoned(folder: Path) -> None:
    """Delete what runs left that were killed; a run that goes on holds the lock of its file."""
    duckdb = importlib.import_module("duckdb")
    for database in folder.glob(f"{OVERFLOW}*/{DATABASE}"):
        try:
            duckdb.connect(str(database)).close()
        except duckdb.Error:
            continue
        shutil.rmtree(database.parent, ignore_errors=True)


def _set(engine: Any, setting: str, value: object) -> None:
    """Change a setting of DuckDB; raises HromadaError for a value that it does not take."""
    try:
        engine.con.execute(f"SET {setting} = '{str(value).replace(chr(39), '')}'")
    except importlib.import_module("duckdb").Error as failure:
        first = str(failure).splitlines()[0]
        raise HromadaError(first, where=Where(field="--memory"), remedy="Write it like this: 3GB.") from failure


@contextmanager
def open_spark(*, master: str, memory: str) -> Iterator[Any]:
    """A Spark session on a cluster (`master`, such as spark://host:7077), or on this machine (local[2]).

    Raises HromadaError for an amount of memory that it does not take, without Java, and if Spark ends a step.
    """
    spark = importlib.import_module("pyspark.sql")  # the cluster brings it; no environment of ours has it
    settings = {
        "spark.driver.memory": _count_megabytes(memory),
        "spark.sql.execution.arrow.pyspark.enabled": "true",  # or else Python processes read each iteration's numbers
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": Path(tempfile.gettempdir()).as_uri(),  # or else an empty folder of that name stays
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    if master.startswith("local"):
        settings |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
        settings["spark.sql.shuffle.partitions"] = str(2 * (os.cpu_count() or 1))  # of the 200 most would be empty
        settings["spark.sql.adaptive.enabled"] = "false"  # it plans a query again after each of its steps
    builder = spark.SparkSession.builder.master(master).appName("hromada votes")
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except _list_start_errors() as failure:
        is_java = "JAVA_GATEWAY_EXITED" in str(failure) or "UnsupportedOperation" in str(failure)
        field, remedy = (
            ("--engine", "Install Java 17 or 21 and name its folder in JAVA_HOME.")
            if is_java
            else ("--master", "Check the cluster's address.")
        )
        problem = f"Spark does not start: {_find_cause(failure)}"
        raise HromadaError(problem, where=Where(field=field), remedy=remedy) from failure
    try:
        yield _prepare_tables(ibis.pyspark.connect(session))
    except importlib.import_module("pyspark.errors").AnalysisException:
        raise  # a statement of ours
    except _list_spark_errors() as failure:
        raise HromadaError(
            f"Spark ended a step: {_find_cause(failure)}",
            where=Where(field="--engine"),
            remedy="Check the files, and Spark's own log; more memory may help (--memory).",
        ) from failure
    finally:
        session.stop()


def _count_megabytes(memory: str) -> str:
    """An amount such as 3GB as Java takes it; raises HromadaError for another text."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([MGT])i?B?\s*", memory, re.IGNORECASE)
    if found is None:
        raise HromadaError(
            f"Invalid amount of memory {memory!r}.", where=Where(field="--memory"), remedy="Write it like this: 3GB."
        )
    return f"{int(float(found[1]) * {'M': 1, 'G': 1024, 'T': 1024**2}[found[2].upper()])}m"


def _list_spark_errors() -> tuple[type[Exception], ...]:
    """What Spark raises: errors of its own, and those of Java and of the line to it that PySpark does not know."""
    of_spark, of_java = importlib.import_module("pyspark.errors"), importlib.import_module("py4j.protocol")
    return of_spark.PySparkException, of_java.Py4JError


def _find_cause(failure: Exception) -> str:
    """The last cause that Java names in an error, as a sentence; else its first line."""
    lines = str(failure).splitlines() or [type(failure).__name__]
    causes = [line for line in lines if line.startswith(("Caused by: ", ": "))]
    cause = causes[-1].removeprefix("Caused by").removeprefix(": ") if causes else lines[0]
    return f"{cause.strip().rstrip('.')}."


def _prepare_tables(engine: Any) -> Any:
    """Ibis 12 stores a table on Spark without the frames that it joins; here they are registered before."""
    store = engine._create_cached_table  # noqa: SLF001

    def register_and_store(name: str, expression: ir.Table) -> ir.Table:
        engine._run_pre_execute_hooks(expression)  # noqa: SLF001
        stored: ir.Table = store(name, expression)
        return stored

    engine._create_cached_table = register_and_store  # noqa: SLF001
    return engine


def read_files(engine: Any, paths: Sequence[Path], kind: FileKind) -> ir.Table:
    """The rows of files of one kind, cells of CSV as texts; raises HromadaError where they cannot be read together."""
    names = [str(path.absolute()) for path in paths]
    try:
        if engine.name == "pyspark":
            return _read_on_spark(engine, names, kind)
        if kind == "parquet":
            return engine.read_parquet(names)
        if kind == "csv":
            return engine.read_csv(names, header=True, all_varchar=True)
        return _read_arrow(engine, paths)
    except _list_reading_errors(engine) as failure:
        problem = f"The file cannot be read: {_find_cause(failure)}"
        raise HromadaError(problem, where=Where(file=paths[0]), remedy="Name whole files of one table.") from failure


def _list_reading_errors(engine: Any) -> tuple[type[Exception], ...]:
    """What an engine raises for files that it cannot read; Arrow's errors are ValueError, OSError or its own."""
    own = (
        _list_spark_errors()
        if engine.name == "pyspark"
        else (importlib.import_module("duckdb").Error, importlib.import_module("pyarrow").ArrowException)
    )
    return (*own, OSError, EOFError, ValueError)  # EOFError: gzip that is cut


def _list_start_errors() -> tuple[type[Exception], ...]:
    """What comes where Spark does not start; OSError if its own program to start Java cannot run."""
    return (*_list_spark_errors(), OSError)


def _read_on_spark(engine: Any, names: Sequence[str], kind: FileKind) -> ir.Table:
    """The rows of files as a view; Ibis reads one Parquet file only, and guesses types in CSV."""
    if kind == "arrow":
        raise HromadaError(
            "Spark reads no Arrow files.", where=Where(file=names[0]), remedy="Write the data set as Parquet."
        )
    reader = importlib.import_module("pyspark.sql").SparkSession.getActiveSession().read
    if kind == "parquet":
        frame = reader.parquet(*(_PATTERN.sub(r"\\\g<0>", name) for name in names))
    else:
        if patterns := [name for name in names if _PATTERN.search(name)]:
            raise HromadaError(
                "Spark reads the name of a CSV file as a pattern for the names of several files.",
                where=Where(file=patterns[0]),
                remedy="Rename the file without [ ] { } * ? and \\, or write its votes as Parquet.",
            )
        separator = _find_separator(names[0])
        frame = reader.csv([*names], header=True, sep=separator, escape='"', multiLine=True, enforceSchema=False)
    frame.createOrReplaceTempView("votes")
    return engine.table("votes")


_PATTERN = re.compile(r"[][{}*?\\]")
"""What has a meaning in the patterns of Hadoop."""


def _find_separator(name: str) -> str:
    """What separates the cells of a CSV file, by its first line."""
    with (gzip.open if name.endswith(".gz") else open)(name, "rt", encoding="utf-8-sig") as file:
        first = file.readline()
    return max(",;\t", key=first.count)


def _read_arrow(engine: Any, paths: Sequence[Path]) -> ir.Table:
    """The rows of a data set of Hugging Face's `datasets` on disk, which are mapped, not read."""
    import pyarrow as pa

    tables = [pa.ipc.open_stream(pa.memory_map(str(path))).read_all() for path in paths]
    return engine.create_table("arrow_votes", pa.concat_tables(tables), temp=True)
