"""`bench engine`: the engine's own figures, each made by one small function; `table` names them all."""
