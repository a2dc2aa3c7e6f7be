"""Makes a machine ready, and takes it back: a model that suits it, a library that runs, editor clients, a service."""
