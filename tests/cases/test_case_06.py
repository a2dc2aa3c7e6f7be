"""Case 6: a byte-order mark at the start of a file."""

from __future__ import annotations

import pytest

from codeassistd.syntax.extract import extract
from codeassistd.syntax.languages import Languages

SOURCES = {
    "python": "def alpha():\n    return beta()\nX = 1\n",
    "javascript": "import a from 'b';\nfunction alpha() { return beta(); }\n",
    "typescript": "import a from 'b';\nfunction alpha(): number { return beta(); }\n",
    "tsx": "import a from 'b';\nfunction alpha() { return <Beta />; }\n",
    "go": 'package p\nimport "a"\nfunc alpha() { beta() }\n',
    "rust": "use a::b;\nfn alpha() { beta() }\n",
    "java": "import a.B;\nclass alpha { void f() { beta(); } }\n",
    "c": "#include <a.h>\nint alpha(void) { return beta(); }\n",
    "cpp": "#include <a>\nint alpha() { return beta(); }\n",
    "csharp": "using A.B;\nclass alpha { void F() { beta(); } }\n",
    "ruby": "require 'a'\ndef alpha\n  beta(1)\nend\n",
    "php": "<?php\nuse A\\B;\nfunction alpha() { return beta(); }\n",
    "lua": "local a = require('a')\nfunction alpha() return beta() end\n",
    "bash": "source a.sh\nalpha() { beta; }\n",
    "kotlin": "import a.b\nfun alpha() = beta()\n",
    "swift": "import A\nfunc alpha() { beta() }\n",
}


def test_the_first_symbol_stands_where_it_stands_without_the_mark() -> None:
    """With a byte-order mark, `def alpha():` is the symbol alpha on line 0 at column 4."""
    (symbol,) = extract("python", b"\xef\xbb\xbfdef alpha(): pass\n").symbols

    assert ("alpha", 0, 4, "def alpha()") == (symbol.name, symbol.line, symbol.name_span.start, symbol.signature)


@pytest.mark.parametrize("language", [language.name for language in Languages.default()])
def test_the_facts_of_both_files_are_identical(language: str) -> None:
    """In each language all rows are those of the file without the mark, and no U+FEFF is in any of them."""
    source = SOURCES[language].encode()
    facts = extract(language, b"\xef\xbb\xbf" + source)

    assert extract(language, source) == facts
    assert "alpha" in {symbol.name for symbol in facts.symbols}
    assert "\ufeff" not in repr(facts)
