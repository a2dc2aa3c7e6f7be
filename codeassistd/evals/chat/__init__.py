"""Whether a conversation still knows in turn 20 what was agreed in its first three turns."""
