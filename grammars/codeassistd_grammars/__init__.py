"""Data only: one folder per language with its queries, and the table of languages. Read by `codeassistd.syntax`."""
