"""`eval fit`: whether real suggestions fit real documents."""
