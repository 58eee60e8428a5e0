"""Projects, programmes, versions of texts, items."""

import sqlalchemy as sa
from alembic import op

from annotation.store.migrations.initial_tables import MOMENT, build_enum_type, build_partial_index

TABLES = ("project", "project_tally", "programme", "programme_project", "text_version", "item")


def create_tables() -> None:
    """Create the tables with their constraints and indexes."""
    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("instructions", sa.String(), nullable=False),
        sa.Column("instructions_sha256", sa.String(64), nullable=False),
        sa.Column("definition", sa.JSON(), nullable=False),
        sa.Column("definition_sha256", sa.String(64), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("overlap", sa.Integer()),
        sa.Column("overlap_max", sa.Integer()),
        sa.Column(
            "status",
            *build_enum_type("status", "loaded", "running", "paused", "closed"),
            server_default="loaded",
            nullable=False,
        ),
        sa.Column("started_at", MOMENT),
        sa.Column("active_since", MOMENT),
        sa.Column("closed_at", MOMENT),
        sa.Column("frozen", sa.JSON()),
        sa.Column("texts", sa.JSON()),
        sa.Column("word_lists", sa.JSON()),
        sa.Column("frames", sa.JSON()),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
        sa.UniqueConstraint("name", name=op.f("uq_project_name")),
    )
    op.create_table(
        "project_tally",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("items_done", sa.Integer(), nullable=False),
        sa.Column("needed", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("doubts", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_project_tally_project_id")),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_project_tally")),
    )
    op.create_table(
        "programme",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("definition", sa.JSON(), nullable=False),
        sa.Column("definition_sha256", sa.String(64), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("texts", sa.JSON()),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_programme")),
        sa.UniqueConstraint("name", name=op.f("uq_programme_name")),
    )
    op.create_table(
        "programme_project",
        sa.Column("programme_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("quota", sa.Integer()),
        sa.ForeignKeyConstraint(["programme_id"], ["programme.id"], name=op.f("fk_programme_project_programme_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_programme_project_project_id")),
        sa.PrimaryKeyConstraint("programme_id", "project_id", name=op.f("pk_programme_project")),
        sa.UniqueConstraint("project_id", name="uq_programme_project_project_id"),
    )
    op.create_table(
        "text_version",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("kind", *build_enum_type("kind", "instructions", "consent", "warning"), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("sha256", "kind", name=op.f("pk_text_version")),
    )
    op.create_table(
        "item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.String(), nullable=False),
        sa.Column("stage", *build_enum_type("stage", "pilot", "training", "qualification", "main"), nullable=False),
        sa.Column(
            "pool",
            *build_enum_type("pool", "pilot", "training", "qualification", "control", "few-shot", "main"),
            server_default="main",
            nullable=False,
        ),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("options", sa.JSON()),
        sa.Column("stimulus", sa.String(), nullable=False),
        sa.Column("pieces", sa.JSON()),
        sa.Column("stimulus_sha256", sa.String(64), nullable=False),
        sa.Column("gold", sa.String()),
        sa.Column("gold_origin", sa.String(32)),
        sa.Column("gold_version", sa.String(64)),
        sa.Column("golds", sa.JSON()),
        sa.Column("accepted", sa.JSON()),
        sa.Column("explanation", sa.String()),
        sa.Column("stratum", sa.String()),
        sa.Column("tags", sa.JSON()),
        sa.Column("lineage", sa.JSON()),
        sa.Column(
            "status", *build_enum_type("status", "open", "paused", "retired"), server_default="open", nullable=False
        ),
        sa.Column("queue_position", sa.Integer(), server_default="0", nullable=False),
        sa.Column("bin", sa.Integer()),
        sa.Column("free", sa.Integer(), server_default="0", nullable=False),
        sa.Column("held", sa.Integer(), server_default="0", nullable=False),
        sa.Column("n_live", sa.Integer(), nullable=False),
        sa.Column("n_done", sa.Integer(), nullable=False),
        sa.CheckConstraint("free >= 0 AND held >= 0", name=op.f("ck_item_places")),
        sa.CheckConstraint("n_done >= 0 AND n_done <= n_live", name=op.f("ck_item_counts")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_item_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_item")),
        sa.UniqueConstraint("project_id", "external_id", name="uq_item_project_id_external_id"),
    )
    op.create_index("ix_item_apart", "item", ["project_id", "pool"], **build_partial_index("pool <> 'main'"))
    op.create_index(op.f("ix_item_group_id"), "item", ["group_id"])
    op.create_index(
        "ix_item_open",
        "item",
        ["project_id", "pool", "queue_position", "group_id", "free", "bin"],
        **build_partial_index("free > 0"),
    )
    op.create_index(
        "ix_item_started",
        "item",
        ["project_id", "pool", "queue_position", "group_id", "free", "bin", "n_live"],
        **build_partial_index("free > 0 AND n_live > 0"),
    )
