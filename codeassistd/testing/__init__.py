"""Fakes and small tools that ship with the package: scripted backend, clock moved by hand, marked texts."""
