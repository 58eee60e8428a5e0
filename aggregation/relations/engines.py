"""The engines that hold votes: DuckDB on this machine, Spark where the data lie on a cluster."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import ibis
import ibis.expr.types as ir

from aggregation.errors import HromadaError, Where

FileKind = Literal["parquet", "csv", "arrow"]


@contextmanager
def open_duckdb(*, memory: str, folder: Path) -> Iterator[Any]:
    """A DuckDB of its own that takes no more than `memory` (such as 3GB); what is more goes to files in `folder`."""
    with tempfile.TemporaryDirectory(prefix=".hromada-votes-", dir=folder) as spilled:
        engine = ibis.duckdb.connect(str(Path(spilled) / "votes.duckdb"), temp_directory=spilled)
        try:
            for setting, value in {"memory_limit": memory, "preserve_insertion_order": False}.items():
                _set(engine, setting, value)
            yield engine
        finally:
            engine.disconnect()


def _set(engine: Any, setting: str, value: object) -> None:
    """Change a setting of DuckDB; raises HromadaError for a value that it does not take."""
    try:
        engine.con.execute(f"SET {setting} = '{str(value).replace(chr(39), '')}'")
    except Exception as failure:
        first = str(failure).splitlines()[0]
        raise HromadaError(first, where=Where(field="--memory"), remedy="Write it like this: 3GB.") from failure


@contextmanager
def open_spark(*, master: str, memory: str) -> Iterator[Any]:
    """A Spark session on a cluster (`master`, such as spark://host:7077), or on this machine (local[2])."""
    spark = importlib.import_module("pyspark.sql")  # the cluster brings it; no environment of ours has it
    builder = spark.SparkSession.builder.master(master).appName("hromada votes")
    settings = {
        "spark.driver.memory": memory.removesuffix("B").lower(),
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield ibis.pyspark.connect(session)
    finally:
        session.stop()


def read_files(engine: Any, paths: Sequence[Path], kind: FileKind) -> ir.Table:
    """The rows of files of one kind, cells of CSV as texts; raises HromadaError where they cannot be read together."""
    names = [str(path.absolute()) for path in paths]
    try:
        if kind == "parquet":
            return engine.read_parquet(names)
        if kind == "csv":
            is_duckdb = engine.name == "duckdb"
            return engine.read_csv(names, header=True, **({"all_varchar": True} if is_duckdb else {}))
        return _read_arrow(engine, paths)
    except HromadaError:
        raise
    except Exception as failure:
        first = str(failure).splitlines()[0]
        raise HromadaError(
            f"The file cannot be read: {first}", where=Where(file=paths[0]), remedy="Name whole files of one table."
        ) from failure


def _read_arrow(engine: Any, paths: Sequence[Path]) -> ir.Table:
    """The rows of a data set of Hugging Face's `datasets` on disk, which are mapped, not read."""
    import pyarrow as pa

    if engine.name != "duckdb":
        raise HromadaError(
            "Spark reads no Arrow files.", where=Where(file=paths[0]), remedy="Write the data set as Parquet."
        )
    tables = [pa.ipc.open_stream(pa.memory_map(str(path))).read_all() for path in paths]
    return engine.create_table("arrow_votes", pa.concat_tables(tables), temp=True)
