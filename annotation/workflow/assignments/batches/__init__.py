"""Label Studio batches: assignment, answers, changes and deletions, second passes, and items moved from Telegram."""
