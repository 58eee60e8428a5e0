"""Handlers: each reads an update, calls one use-case of the workflow, and returns the calls that show the result."""
