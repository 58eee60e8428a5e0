"""What is on the screen: pure functions from what the workflow says to messages."""
