"""The command line: thin verbs over the daemon and the rooms below it."""
