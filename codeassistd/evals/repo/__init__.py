"""`eval repo`: what is filled into holes of real repositories, and what each layer of the context is worth there."""
