"""One model, several sequences, one thread: prompts of token ids in, streams of tokens out."""
