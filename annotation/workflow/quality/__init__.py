"""Quality rules, exclusions, control items and dynamic overlap: what decides whether an answer counts."""
