"""The language server: LSP messages in, calls of the rooms below, LSP messages out. The one door to pygls."""
