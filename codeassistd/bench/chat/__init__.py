"""A long conversation through the server: what its turns cost, with the memory and without."""
