"""A private code assistant: one daemon, one local model, inline completions in every editor."""

__version__ = "0.1.0"
