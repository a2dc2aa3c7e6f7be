"""What the index costs: against bare parsing, at a restart without changes, per key, and in memory."""
