"""Measurements of speed: of the engine alone, and of the whole road from a key to its suggestion.

What is computed from measured values is pure and stands apart from what measures. Nothing here prints.
"""
