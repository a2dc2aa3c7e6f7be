"""Which classes the names near a cursor are objects of, by what the source says in so many words."""
