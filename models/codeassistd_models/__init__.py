"""Data only: one TOML manifest per model. Read by `codeassistd.catalogue`."""
