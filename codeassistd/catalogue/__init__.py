"""Which models there are, where they come from, whether they are whole, and how they want to be asked."""
