"""The process of one user: owns the engine, the index and every editor connection. Imports nothing here: the proxy is in this room."""
