"""The symbol index of the open workspaces: events are hints, the disk is the truth, SQLite holds the rows."""
