"""Agreement of annotators: coefficients with intervals, by label, by annotator and over time."""
