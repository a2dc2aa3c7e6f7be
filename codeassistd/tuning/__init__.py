"""Making model and settings fit this machine: copies in other number formats, and settings that were measured."""
