"""The one door to tree-sitter: source bytes in, plain rows out. Nodes and trees never leave this room."""
