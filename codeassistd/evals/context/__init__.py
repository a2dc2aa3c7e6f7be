"""Whether the prompt holds what the next line needs, and what that is worth to the model."""
