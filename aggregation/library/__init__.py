"""What a notebook imports from `aggregation`: four functions of a frame of votes, each with a result to look at.

`vote_frames` reads frames as other tools make them, `engine_votes` tables of Ibis and DuckDB; each function has a
module of its own with its result.
"""
