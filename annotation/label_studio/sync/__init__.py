"""Synchronisation of the database with Label Studio: push, pull, and a watch that pulls again and again."""

from annotation.label_studio.sync.adoption import Adoption, adopt_project, count_answers, parse_project_address
from annotation.label_studio.sync.batches import list_batches
from annotation.label_studio.sync.decision_push import DecisionOrder, DecisionPush, push_decisions
from annotation.label_studio.sync.people import read_full_names
from annotation.label_studio.sync.pull import PullResult, pull_batches
from annotation.label_studio.sync.push import PushOrder, PushResult, push_batch
from annotation.label_studio.sync.remote_projects import (
    adopt_server,
    link_account,
    map_accounts_to_annotators,
    map_accounts_to_pseudonyms,
    register_account,
)
from annotation.label_studio.sync.server_erasure import erase_copies
from annotation.label_studio.sync.watch import WebhookListener, watch_batches

__all__ = [
    "Adoption",
    "DecisionOrder",
    "DecisionPush",
    "PullResult",
    "PushOrder",
    "PushResult",
    "WebhookListener",
    "adopt_project",
    "adopt_server",
    "count_answers",
    "erase_copies",
    "link_account",
    "list_batches",
    "map_accounts_to_annotators",
    "map_accounts_to_pseudonyms",
    "parse_project_address",
    "pull_batches",
    "push_batch",
    "push_decisions",
    "read_full_names",
    "register_account",
    "watch_batches",
]
