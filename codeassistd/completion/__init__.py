"""From a cursor to one suggestion or to silence with a reason: the room that sees context and engine."""
