"""Judges the silence gate: whether what it keeps back was wrong, and what it shows right."""
