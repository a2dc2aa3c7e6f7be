"""Runs code that nobody has read, such as a model's, in a child that can do nothing but compute."""
