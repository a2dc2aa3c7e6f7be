"""What the model gets to read: parts with sources, chosen within a budget, ordered from slow to fast to change."""
