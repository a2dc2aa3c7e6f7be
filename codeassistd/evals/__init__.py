"""How good the suggestions and what leads to them are, judged on real code; printed, never asserted by taste."""
