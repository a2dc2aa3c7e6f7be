"""The process of one user: owns the engine, the index and every editor connection.

Imports nothing here, since the proxy lives in this room and must start within milliseconds.
"""
