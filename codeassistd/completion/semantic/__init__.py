"""The parts of the semantic cache: answers to nearly the same question, which the model confirms before use."""
