((import (qualified_identifier) @import.module .) @_import
 (#not-match? @_import "[*]\\s*$"))
(import (qualified_identifier) @import.module . "as" . (identifier) @import.alias)
(import (qualified_identifier) @import.module "*" @import.name)
