"""`eval infill`: whether functions still pass their unit tests once the model has filled a hole in them."""
