"""What became of suggestions: followed while the user types on, kept as numbers without any text, and learned from."""
