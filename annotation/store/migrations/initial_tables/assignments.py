"""Assignments, judgements, exposures, reports, messages to the organisers, the item queue, group allocations."""

import sqlalchemy as sa
from alembic import op

from annotation.store.migrations.initial_tables import MOMENT, build_enum_type, build_partial_index

TABLES = (
    "assignment",
    "judgement",
    "exposure",
    "report",
    "support_message",
    "queue_cursor",
    "requeued_item",
    "group_allocation",
    "allocated_project",
    "allocated_annotator",
)


def create_tables() -> None:
    """Create the tables with their constraints and indexes."""
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), server_default="0", nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("item_revision", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("occasion", sa.Integer(), nullable=False),
        sa.Column("surface", *build_enum_type("surface", "telegram", "import", "label studio"), nullable=False),
        sa.Column(
            "status", *build_enum_type("status", "live", "done", "skipped", "expired", "withdrawn"), nullable=False
        ),
        sa.Column("stage", *build_enum_type("stage", "pilot", "training", "qualification", "main"), nullable=False),
        sa.Column("holds_place", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("is_control", sa.Boolean(), nullable=False),
        sa.Column("is_repeat", sa.Boolean(), nullable=False),
        sa.Column("exposed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("position", sa.Integer()),
        sa.Column("page", sa.Integer()),
        sa.Column("attempt", sa.Integer()),
        sa.Column("repeat_at", MOMENT),
        sa.Column("open_revision", sa.Integer()),
        sa.Column("option_order", sa.JSON()),
        sa.Column("option_orders", sa.JSON()),
        sa.Column("instructions_sha256", sa.String(64)),
        sa.Column("stimulus_sha256", sa.String(64)),
        sa.Column("assigned_at", MOMENT),
        sa.Column("shown_at", MOMENT),
        sa.Column("lease_until", MOMENT),
        sa.Column("clock_changed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_assignment_annotator_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_assignment_item_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint("item_id", "annotator_id", "occasion", name="uq_assignment_item_annotator_occasion"),
    )
    op.create_index("ix_assignment_annotator_id_project_id", "assignment", ["annotator_id", "project_id", "id"])
    op.create_index(
        "ix_assignment_control", "assignment", ["annotator_id", "project_id", "id"], **build_partial_index("is_control")
    )
    op.create_index(
        "ix_assignment_expired",
        "assignment",
        ["annotator_id", "project_id"],
        **build_partial_index("status = 'expired'"),
    )
    op.create_index(
        "ix_assignment_lease_until", "assignment", ["lease_until"], **build_partial_index("status = 'live'")
    )
    op.create_index(
        "ix_assignment_repeat",
        "assignment",
        ["annotator_id", "project_id", "repeat_at"],
        **build_partial_index("repeat_at IS NOT NULL"),
    )
    op.create_index(
        "ix_assignment_training",
        "assignment",
        ["annotator_id", "project_id", "id"],
        **build_partial_index("stage = 'training'"),
    )
    op.create_index(
        "uq_assignment_one_live_in_telegram",
        "assignment",
        ["annotator_id"],
        unique=True,
        **build_partial_index("status = 'live' AND surface = 'telegram'"),
    )
    op.create_table(
        "judgement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("response", sa.String(), nullable=False),
        sa.Column("response_raw", sa.String(), nullable=False),
        sa.Column("answers", sa.JSON()),
        sa.Column("seconds", sa.Float()),
        sa.Column(
            "seconds_unknown",
            *build_enum_type(
                "seconds_unknown",
                "answered before it was shown",
                "the clock was set meanwhile",
                "no possible duration",
            ),
        ),
        sa.Column("answered_at", MOMENT),
        sa.Column("main_project_id", sa.Integer()),
        sa.Column("skip_reason", sa.String()),
        sa.Column("flags", sa.JSON()),
        sa.Column(
            "excluded_kind",
            *build_enum_type(
                "excluded_kind",
                "pilot item",
                "training item",
                "qualification item",
                "control item",
                "repeat",
                "exposed",
                "no answer",
                "abstained",
                "skipped",
                "extra",
                "several texts",
                "item changed",
                "deleted",
                "earlier",
                "second pass",
                "withdrawn",
                "erased",
                "left out",
                "not accepted",
                "rejected",
                "rule",
                "organiser",
            ),
        ),
        sa.Column("excluded_reason", sa.String()),
        sa.Column("post_hoc", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("on_page", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.CheckConstraint("(excluded_kind IS NULL) = (excluded_reason IS NULL)", name=op.f("ck_judgement_exclusion")),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_judgement_assignment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgement")),
        sa.UniqueConstraint("assignment_id", "revision", name="uq_judgement_assignment_revision"),
    )
    op.create_index(
        "ix_judgement_main",
        "judgement",
        ["main_project_id", "answered_at"],
        **build_partial_index("main_project_id IS NOT NULL"),
    )
    op.create_table(
        "exposure",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column(
            "cause",
            *build_enum_type("cause", "answered", "control", "pilot", "training", "qualification"),
            nullable=False,
        ),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_exposure_annotator_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_exposure_project_id")),
        sa.PrimaryKeyConstraint("annotator_id", "group_id", "project_id", "cause", name=op.f("pk_exposure")),
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
        sa.Column("resolved_at", MOMENT),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_report_annotator_id")),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_report_assignment_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_report_item_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_report")),
    )
    op.create_index("ix_report_item_annotator", "report", ["item_id", "annotator_id"])
    op.create_table(
        "support_message",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer()),
        sa.Column("assignment_id", sa.Integer()),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("answer", sa.String()),
        sa.Column("answered_at", MOMENT),
        sa.Column("delivered_at", MOMENT),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_support_message_annotator_id")),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_support_message_assignment_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_support_message_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_support_message")),
    )
    op.create_index(op.f("ix_support_message_annotator_id"), "support_message", ["annotator_id"])
    op.create_table(
        "queue_cursor",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column(
            "pool",
            *build_enum_type("pool", "pilot", "training", "qualification", "control", "few-shot", "main"),
            nullable=False,
        ),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("pos", sa.Integer(), nullable=False),
        sa.Column("wrapped", sa.Boolean(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_queue_cursor_annotator_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_queue_cursor_project_id")),
        sa.PrimaryKeyConstraint("annotator_id", "project_id", "pool", name=op.f("pk_queue_cursor")),
    )
    op.create_table(
        "requeued_item",
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column(
            "pool",
            *build_enum_type("pool", "pilot", "training", "qualification", "control", "few-shot", "main"),
            nullable=False,
        ),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_requeued_item_item_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_requeued_item_project_id")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_requeued_item")),
    )
    op.create_index("ix_requeued_item_project_id_pool", "requeued_item", ["project_id", "pool", "seq"])
    op.create_table(
        "group_allocation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slots", sa.JSON(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_group_allocation")),
    )
    op.create_table(
        "allocated_project",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("allocation_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["allocation_id"], ["group_allocation.id"], name=op.f("fk_allocated_project_allocation_id")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_allocated_project_project_id")),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_allocated_project")),
    )
    op.create_table(
        "allocated_annotator",
        sa.Column("allocation_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("bin", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["allocation_id"], ["group_allocation.id"], name=op.f("fk_allocated_annotator_allocation_id")
        ),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_allocated_annotator_annotator_id")),
        sa.PrimaryKeyConstraint("allocation_id", "annotator_id", name=op.f("pk_allocated_annotator")),
    )
