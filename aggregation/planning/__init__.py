"""How many items and people a campaign needs for an interval of a given width."""
