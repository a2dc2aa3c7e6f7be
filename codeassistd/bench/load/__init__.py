"""`bench load`: many editors at once, of which each types, chats or reads long files."""
