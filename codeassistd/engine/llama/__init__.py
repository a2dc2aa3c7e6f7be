"""The one door to llama.cpp, through the low-level bindings. Nothing else imports `llama_cpp`."""
