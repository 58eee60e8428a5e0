"""Label Studio as an editor for trusted people: what it shows, what is sent to it and what comes back."""
