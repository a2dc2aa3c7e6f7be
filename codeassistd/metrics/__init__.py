"""What one request cost and how it ended, and the counts of all of them. No source text ever enters here."""
