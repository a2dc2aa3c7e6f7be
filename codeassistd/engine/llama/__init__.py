"""The one door to llama.cpp, through the low-level bindings. Nothing else imports `llama_cpp`.

The library and its bindings read three things from the environment when they are loaded, so they are set before; a
value that the user has set stays.
"""

import os

from codeassistd.engine.llama.kept import kept_library

# A failed assertion would start a debugger on this process to print the stack.
os.environ.setdefault("GGML_NO_BACKTRACE", "1")
# Turns that a thread of GNU's OpenMP waits for the others in a busy loop before it sleeps; by default so many that on
# cores that are also busy with other work (a build, say) the threads of one step only wait for each other: a decode at
# 78 tokens/s fell to 1. With 1,000 turns it keeps a quarter of its speed there, and loses nothing on an idle machine.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
# A library that `setup` built here, where the installed one ends the process.
_kept = kept_library()
if _kept is not None:
    os.environ.setdefault("LLAMA_CPP_LIB_PATH", str(_kept))
