"""Views: pure functions from the results of the workflow to the messages on the screen."""
