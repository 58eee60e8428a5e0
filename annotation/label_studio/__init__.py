"""Label Studio as an editor for trusted annotators: its interfaces, what is sent to it, and its answers."""
