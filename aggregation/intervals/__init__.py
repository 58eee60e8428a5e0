"""Intervals: of a share, of resampled values, of a mean over people and items, and of a paired difference."""
