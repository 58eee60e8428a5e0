"""Both ways between the database and Label Studio: push, pull, and a watch that pulls again and again."""

from annotation.label_studio.sync.accounts import link, linked
from annotation.label_studio.sync.batches import of_project
from annotation.label_studio.sync.pull import Pulled, pull
from annotation.label_studio.sync.push import Order, Pushed, push
from annotation.label_studio.sync.watch import Receiver, watch

__all__ = [
    "Order", "Pulled", "Pushed", "Receiver", "link", "linked", "of_project", "pull", "push", "watch",
]  # fmt: skip
