"""`eval scenarios`: what a user wants to see, or not to see, at places of small projects that look real."""
