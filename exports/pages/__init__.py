"""The scaffold that every HTML page shares: its base template, its classes, its pictures and its wording of numbers."""
