"""The open documents: frozen snapshots with one writer, the connection they belong to."""
