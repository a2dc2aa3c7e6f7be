"""One file per group of LSP methods, named like it."""
