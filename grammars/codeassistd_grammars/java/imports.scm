(import_declaration (scoped_identifier scope: (_) @import.module name: (identifier) @import.name) .)
(import_declaration (identifier) @import.module .)
(import_declaration (_) @import.module . (asterisk) @import.name)
