"""Which files an import can mean."""

from __future__ import annotations

import pytest

from codeassistd.index.imports import reaches
from codeassistd.syntax.facts import Import

CASES = [
    ("python", "app/main.py", "app.util", "helper", "app/util.py", True),
    ("python", "app/main.py", "app.util", "helper", "src/app/util.py", True),
    ("python", "app/main.py", "app.util", "helper", "app/util/helper.py", True),
    ("python", "app/main.py", "app.util", "helper", "other/util.py", False),
    ("python", "app/main.py", "app", "", "app/__init__.py", True),
    ("python", "app/main.py", "util", "", "app/futil.py", False),
    ("python", "app/main.py", ".util", "helper", "app/util.py", True),
    ("python", "app/main.py", ".util", "helper", "lib/app/util.py", False),
    ("python", "app/sub/main.py", "..util", "helper", "app/util.py", True),
    ("python", "app/sub/main.py", "..", "helper", "app/__init__.py", True),
    ("python", "app/main.py", ".", "util", "app/util.py", True),
    ("python", "main.py", ".", "util", "util.py", True),
    ("python", "main.py", ".", "name", "__init__.py", True),
    ("python", "app/main.py", "", "", "app/util.py", False),
    ("javascript", "src/a.js", "./b", "f", "src/b.js", True),
    ("javascript", "src/a.js", "./b.js", "f", "src/b.ts", True),
    ("typescript", "src/x/a.ts", "../b", "f", "src/b/index.ts", True),
    ("typescript", "src/x/a.ts", "../b", "f", "src/x/b.ts", False),
    ("tsx", "src/a.tsx", "@/ui/button", "Button", "src/ui/button.tsx", True),
    ("javascript", "src/a.js", "react", "useState", "src/react-like.js", False),
    ("java", "A.java", "com.x", "Thing", "src/main/java/com/x/Thing.java", True),
    ("java", "A.java", "com.x.Thing", "member", "src/com/x/Thing.java", True),
    ("java", "A.java", "com.x", "*", "src/com/x/Other.java", True),
    ("java", "A.java", "com.x", "Thing", "src/com/y/Thing.java", False),
    ("go", "cmd/main.go", '"example.org/m/internal/store"', "", "internal/store/db.go", True),
    ("go", "cmd/main.go", '"example.org/m/internal/store"', "", "internal/other/db.go", False),
    ("go", "main.go", '"fmt"', "", "fmt.go", False),
    ("go", "shop/cart.go", ".", "", "shop/line.go", True),
    ("go", "cart.go", ".", "", "line.go", True),
    ("go", "shop/cart.go", ".", "", "shop/tax/rate.go", False),
    ("go", "shop/cart.go", ".", "", "shop/line_test.go", False),
    ("go", "shop/cart_test.go", ".", "", "shop/line_test.go", True),
    ("java", "shop/Cart.java", ".", "", "shop/Line.java", True),
    ("java", "shop/Cart.java", ".", "", "shop/Line.kt", False),
    ("rust", "src/main.rs", "crate::store", "Row", "src/store.rs", True),
    ("rust", "src/main.rs", "crate::store", "Row", "src/store/mod.rs", True),
    ("rust", "src/main.rs", "crate::a::b", "*", "src/a/b.rs", True),
    ("rust", "src/a/b.rs", "super::c", "f", "src/a/c.rs", True),
    ("rust", "src/a/b.rs", "super::c", "f", "src/c.rs", False),
    ("c", "src/a.c", '"b.h"', "", "src/b.c", True),
    ("cpp", "src/a.cpp", "<lib/b.hpp>", "", "include/lib/b.hpp", True),
    ("c", "src/a.c", '"../inc/b.h"', "", "inc/b.h", True),
    ("c", "src/a.c", "<stdio.h>", "", "src/studio.h", False),
    ("cobol", "a", "b", "", "b", False),
]


@pytest.mark.parametrize("case", CASES)
def test_an_import_reaches_the_files_it_can_mean(case: tuple[str, str, str, str, str, bool]) -> None:
    """Module and path agree at whole parts, by the rules of the language."""
    language, asking, module, name, candidate, expected = case
    assert expected is reaches(Import(module, name, "", 0), language, asking, candidate)
