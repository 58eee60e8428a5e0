"""The workflow: status of campaigns, participation, assignments, exposures and the order in which items are assigned.

Columns are added one by one, never by making a table anew: on SQLite that would empty the tables that point to it.
"""

import sqlalchemy as sa
from alembic import op

from annotation.store.migrations import check_constraints

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
OLD, NEW = "'live', 'done'", "'live', 'done', 'skipped', 'expired', 'withdrawn'"
TABLES = (
    "programme",
    "programme_project",
    "text_version",
    "invitation",
    "participation",
    "cohort",
    "consent",
    "profile_answer",
    "support_message",
    "attestation",
    "payment",
    "exposure",
    "report",
    "queue_cursor",
    "requeued_item",
    "group_allocation",
    "allocated_project",
    "allocated_annotator",
)
COLUMNS = {
    "project": ("overlap_max", "status", "started_at", "closed_at", "frozen", "texts", "word_lists"),
    "item": ("status", "queue_position", "bin", "held", "free"),
    "annotator": ("insider", "time_zone", "suspended_at", "suspended_reason", "forgotten_at"),
    "assignment": (
        "project_id", "holds_place", "exposed", "page", "attempt", "repeat_at", "open_revision", "option_orders",
        "shown_at", "lease_until",
    ),
    "judgement": ("skip_reason", "flags", "post_hoc"),
}  # fmt: skip


def upgrade() -> None:
    """Go forward."""
    _campaigns()
    _annotators()
    _messages_and_payments()
    _assignments()
    _allotments()
    _columns()
    _fill_new_columns()
    _indices()


def downgrade() -> None:
    """Go back: assignments that are neither live nor done are deleted, with all tables of this revision."""
    for table in reversed(TABLES):
        op.drop_table(table)
    op.execute(
        "UPDATE judgement SET excluded_reason = 'skipped' WHERE skip_reason IS NOT NULL AND excluded_reason IS NULL"
    )
    op.execute(
        "DELETE FROM judgement WHERE assignment_id IN (SELECT id FROM assignment WHERE status NOT IN ('live', 'done'))"
    )
    op.execute("DELETE FROM assignment WHERE status NOT IN ('live', 'done')")
    for name in ("annotator_id_project_id", "control", "expired", "lease_until", "repeat", "training"):
        op.drop_index(f"ix_assignment_{name}", table_name="assignment")
    for name in ("ix_item_apart", "ix_item_open", "ix_item_started"):
        op.drop_index(name, table_name="item")
    op.create_index("ix_assignment_annotator_id", "assignment", ["annotator_id"])
    op.create_index("ix_item_next", "item", ["project_id", "n_done", "n_live", "rank"])
    check_constraints.replace_values("assignment", "status", old=NEW, new=OLD)
    for table, columns in COLUMNS.items():
        for column in columns:
            op.drop_column(table, column)


def _campaigns() -> None:
    op.create_table(
        "programme",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("definition", sa.JSON(), nullable=False),
        sa.Column("definition_sha256", sa.String(64), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("texts", sa.JSON(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_programme"),
        sa.UniqueConstraint("name", name="uq_programme_name"),
    )
    op.create_table(
        "programme_project",
        sa.Column("programme_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("quota", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["programme_id"], ["programme.id"], name="fk_programme_project_programme_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_programme_project_project_id"),
        sa.PrimaryKeyConstraint("programme_id", "project_id", name="pk_programme_project"),
        sa.UniqueConstraint("project_id", name="uq_programme_project_project_id"),
    )
    op.create_table(
        "text_version",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("sha256", "kind", name="pk_text_version"),
        sa.CheckConstraint("kind IN ('instructions', 'consent', 'warning')", name=op.f("ck_text_version_kind")),
    )


def _annotators() -> None:
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(64), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("programme_id", sa.Integer(), nullable=True),
        sa.Column("cohort", sa.String(64), nullable=True),
        sa.Column("max_uses", sa.Integer(), nullable=True),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.CheckConstraint("(project_id IS NULL) <> (programme_id IS NULL)", name=op.f("ck_invitation_one_target")),
        sa.CheckConstraint("used >= 0 AND (max_uses IS NULL OR used <= max_uses)", name=op.f("ck_invitation_uses")),
        sa.ForeignKeyConstraint(["programme_id"], ["programme.id"], name="fk_invitation_programme_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_invitation_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_invitation"),
        sa.UniqueConstraint("code", name="uq_invitation_code"),
    )
    op.create_table(
        "participation",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("programme_id", sa.Integer(), nullable=True),
        sa.Column("invitation_id", sa.Integer(), nullable=True),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("joined_at", MOMENT, nullable=False),
        sa.Column("warned_at", MOMENT, nullable=True),
        sa.Column("warning_sha256", sa.String(64), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("retry_at", MOMENT, nullable=True),
        sa.Column("qualified_at", MOMENT, nullable=True),
        sa.Column("shown", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("on_page", sa.Integer(), nullable=False),
        sa.Column("missed_controls", sa.Integer(), nullable=False),
        sa.Column("day", sa.String(10), nullable=True),
        sa.Column("answered_today", sa.Integer(), nullable=False),
        sa.Column("work_session", sa.Integer(), nullable=False),
        sa.Column("work_session_since", MOMENT, nullable=True),
        sa.Column("last_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_participation_annotator_id"),
        sa.ForeignKeyConstraint(["invitation_id"], ["invitation.id"], name="fk_participation_invitation_id"),
        sa.ForeignKeyConstraint(["programme_id"], ["programme.id"], name="fk_participation_programme_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_participation_project_id"),
        sa.PrimaryKeyConstraint("annotator_id", "project_id", name="pk_participation"),
        sa.CheckConstraint(
            "stage IN ('pilot', 'training', 'qualification', 'main')", name=op.f("ck_participation_stage")
        ),
        sa.CheckConstraint(
            "status IN ('active', 'failed', 'paused', 'excluded', 'withdrawn')", name=op.f("ck_participation_status")
        ),
    )
    op.create_table(
        "cohort",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_cohort_annotator_id"),
        sa.PrimaryKeyConstraint("annotator_id", "name", name="pk_cohort"),
    )
    op.create_table(
        "consent",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("scope", sa.String(80), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("withdrawn_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_consent_annotator_id"),
        sa.PrimaryKeyConstraint("id", name="pk_consent"),
        sa.UniqueConstraint("annotator_id", "scope", "version", "sha256", name="uq_consent_once"),
    )
    op.create_table(
        "profile_answer",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("field", sa.String(64), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_profile_answer_annotator_id"),
        sa.PrimaryKeyConstraint("annotator_id", "field", name="pk_profile_answer"),
    )


def _messages_and_payments() -> None:
    op.create_table(
        "support_message",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("assignment_id", sa.Integer(), nullable=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("answered_at", MOMENT, nullable=True),
        sa.Column("delivered_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_support_message_annotator_id"),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name="fk_support_message_assignment_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_support_message_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_support_message"),
    )
    op.create_table(
        "attestation",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("work_session", sa.Integer(), nullable=False),
        sa.Column("used", sa.String(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_attestation_annotator_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_attestation_project_id"),
        sa.PrimaryKeyConstraint("annotator_id", "project_id", "work_session", name="pk_attestation"),
    )
    op.create_table(
        "payment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("hundredths", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_payment_annotator_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_payment_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_payment"),
    )
    op.create_index("ix_payment_annotator_id", "payment", ["annotator_id"])
    op.create_index("ix_support_message_annotator_id", "support_message", ["annotator_id"])


def _assignments() -> None:
    op.create_table(
        "exposure",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(32), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_exposure_annotator_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_exposure_project_id"),
        sa.PrimaryKeyConstraint("annotator_id", "group_id", "project_id", "cause", name="pk_exposure"),
        sa.CheckConstraint(
            "cause IN ('answered', 'control', 'pilot', 'training', 'qualification')", name=op.f("ck_exposure_cause")
        ),
    )
    op.create_table(
        "report",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("resolved_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_report_annotator_id"),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name="fk_report_assignment_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_report_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_report"),
        sa.UniqueConstraint("item_id", "annotator_id", name="uq_report_item_annotator"),
    )
    op.create_table(
        "queue_cursor",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("pos", sa.Integer(), nullable=False),
        sa.Column("wrapped", sa.Boolean(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_queue_cursor_annotator_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_queue_cursor_project_id"),
        sa.PrimaryKeyConstraint("annotator_id", "project_id", "pool", name="pk_queue_cursor"),
        sa.CheckConstraint(
            "pool IN ('pilot', 'training', 'qualification', 'control', 'main')", name=op.f("ck_queue_cursor_pool")
        ),
    )
    op.create_table(
        "requeued_item",
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_requeued_item_item_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_requeued_item_project_id"),
        sa.PrimaryKeyConstraint("seq", name="pk_requeued_item"),
        sa.CheckConstraint(
            "pool IN ('pilot', 'training', 'qualification', 'control', 'main')", name=op.f("ck_requeued_item_pool")
        ),
    )
    op.create_index("ix_requeued_item_project_id_pool", "requeued_item", ["project_id", "pool", "seq"])


def _allotments() -> None:
    op.create_table(
        "group_allocation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slots", sa.JSON(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_group_allocation"),
    )
    op.create_table(
        "allocated_project",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("allocation_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["allocation_id"], ["group_allocation.id"], name="fk_allocated_project_allocation_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_allocated_project_project_id"),
        sa.PrimaryKeyConstraint("project_id", name="pk_allocated_project"),
    )
    op.create_table(
        "allocated_annotator",
        sa.Column("allocation_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("bin", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["allocation_id"], ["group_allocation.id"], name="fk_allocated_annotator_allocation_id"
        ),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name="fk_allocated_annotator_annotator_id"),
        sa.PrimaryKeyConstraint("allocation_id", "annotator_id", name="pk_allocated_annotator"),
    )


def _columns() -> None:
    op.add_column("project", sa.Column("overlap_max", sa.Integer()))
    check_constraints.add_enum_column("project", "status", ("loaded", "running", "paused", "closed"))
    op.add_column("project", sa.Column("started_at", MOMENT))
    op.add_column("project", sa.Column("closed_at", MOMENT))
    op.add_column("project", sa.Column("frozen", sa.JSON()))
    op.add_column("project", sa.Column("texts", sa.JSON()))
    op.add_column("project", sa.Column("word_lists", sa.JSON()))
    check_constraints.add_enum_column("item", "status", ("open", "paused", "retired"))
    op.add_column("item", sa.Column("queue_position", sa.Integer(), server_default="0", nullable=False))
    op.add_column("item", sa.Column("bin", sa.Integer()))
    op.add_column("item", sa.Column("free", sa.Integer(), server_default="0", nullable=False))
    check_constraints.add_checked_column("item", "held INTEGER DEFAULT 0 NOT NULL", "places", "free >= 0 AND held >= 0")
    op.add_column("annotator", sa.Column("insider", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("annotator", sa.Column("time_zone", sa.String(64)))
    op.add_column("annotator", sa.Column("suspended_at", MOMENT))
    op.add_column("annotator", sa.Column("suspended_reason", sa.String()))
    op.add_column("annotator", sa.Column("forgotten_at", MOMENT))
    op.add_column("assignment", sa.Column("project_id", sa.Integer(), server_default="0", nullable=False))
    op.add_column("assignment", sa.Column("holds_place", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("assignment", sa.Column("exposed", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("assignment", sa.Column("page", sa.Integer()))
    op.add_column("assignment", sa.Column("attempt", sa.Integer()))
    op.add_column("assignment", sa.Column("repeat_at", MOMENT))
    op.add_column("assignment", sa.Column("open_revision", sa.Integer()))
    op.add_column("assignment", sa.Column("option_orders", sa.JSON()))
    op.add_column("assignment", sa.Column("shown_at", MOMENT))
    op.add_column("assignment", sa.Column("lease_until", MOMENT))
    op.add_column("judgement", sa.Column("skip_reason", sa.String()))
    op.add_column("judgement", sa.Column("flags", sa.JSON()))
    op.add_column("judgement", sa.Column("post_hoc", sa.Boolean(), server_default=sa.false(), nullable=False))
    check_constraints.replace_values("assignment", "status", old=OLD, new=NEW)


def _fill_new_columns() -> None:
    """Give existing rows their project, their places and a random queue position."""
    op.execute("UPDATE assignment SET project_id = (SELECT i.project_id FROM item i WHERE i.id = assignment.item_id)")
    op.execute(
        "UPDATE assignment SET holds_place = true WHERE status = 'live' OR EXISTS (SELECT 1 FROM judgement j"
        " WHERE j.assignment_id = assignment.id"
        " AND (j.excluded_reason IS NULL OR (j.excluded_reason = 'abstained' AND surface = 'telegram')))"
    )
    op.execute(
        "UPDATE item SET free = MAX(0, (SELECT coalesce(p.overlap, 0) FROM project p WHERE p.id = item.project_id)"
        " - n_live) WHERE pool IN ('main', 'pilot')".replace("MAX", _greatest())
    )
    op.execute("UPDATE assignment SET is_repeat = false WHERE surface = 'import'")
    op.execute("UPDATE item SET queue_position = abs((CAST(id AS BIGINT) * 7919 + 104729) % 2147483647)")


def _greatest() -> str:
    return "MAX" if op.get_bind().dialect.name == "sqlite" else "GREATEST"


def _indices() -> None:
    op.drop_index("ix_assignment_annotator_id", "assignment")
    op.drop_index("ix_item_next", "item")
    key = ["annotator_id", "project_id", "id"]
    op.create_index("ix_assignment_annotator_id_project_id", "assignment", key)
    _partial("ix_assignment_control", "assignment", key, "is_control")
    _partial("ix_assignment_training", "assignment", key, "stage = 'training'")
    _partial("ix_assignment_lease_until", "assignment", ["lease_until"], "status = 'live'")
    _partial("ix_assignment_expired", "assignment", key[:2], "status = 'expired'")
    _partial("ix_assignment_repeat", "assignment", [*key[:2], "repeat_at"], "repeat_at IS NOT NULL")
    _partial("ix_item_apart", "item", ["project_id", "pool"], "pool <> 'main'")
    queue_columns = ["project_id", "pool", "queue_position", "group_id", "free", "bin"]
    _partial("ix_item_open", "item", queue_columns, "free > 0")
    _partial("ix_item_started", "item", [*queue_columns, "n_live"], "free > 0 AND n_live > 0")


def _partial(name: str, table: str, columns: list[str], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
