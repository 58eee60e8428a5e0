"""What each answer type does: its consensus, agreement and scores, behind one table of types."""
