"""Conversations about the code that do not slow down: a window word for word, and a summary of all that is older."""
