"""The real server on PostgreSQL, which needs a minute for its tables: `make test-studios` names this file."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from _label_studio import OWNER, server


def test_it_runs_on_postgresql(studio_program: Path, postgresql: str, tmp_path: Path) -> None:
    """With the same settings, and a project keeps its tasks there."""
    where = sa.make_url(postgresql)
    engine = sa.create_engine(where.set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE DATABASE label_studio")
    try:
        told = {"DJANGO_DB": "default", "POSTGRE_NAME": "label_studio", "POSTGRE_USER": where.username or ""}
        told |= {"POSTGRE_HOST": str(where.query.get("host", where.host)), "POSTGRE_PORT": str(where.port or 5432)}
        told |= {"POSTGRE_PASSWORD": str(where.password or "")}
        with server(studio_program, tmp_path / "data", database=told) as studio, studio.api() as api:
            assert api.get("/api/current-user/whoami").json()["email"] == OWNER
            project = api.post("/api/projects", json={"title": "Проєкт"}).json()["id"]
            assert api.post(f"/api/projects/{project}/import", json=[{"data": {"text": "один"}}]).status_code == 201
            own = sa.create_engine(where.set(drivername="postgresql+psycopg", database="label_studio"))
            with own.connect() as connection:
                assert connection.exec_driver_sql("SELECT count(*) FROM task").scalar_one() == 1
            own.dispose()
    finally:
        with engine.connect() as connection:
            connection.exec_driver_sql("DROP DATABASE label_studio WITH (FORCE)")
        engine.dispose()
