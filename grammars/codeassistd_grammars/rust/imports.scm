(use_declaration argument: (identifier) @import.module)
(use_declaration argument: (scoped_identifier path: (_) @import.module name: (_) @import.name))

(scoped_use_list path: (_) @import.prefix list: (use_list) @import.group (#set! separator "::"))
(use_list (identifier) @import.name)
(use_list (scoped_identifier path: (_) @import.module name: (_) @import.name) (#set! separator "::"))
; `self` in a nest is the nest's own module.
(use_list (self) @import.self)

(use_as_clause path: (identifier) @import.name alias: (identifier) @import.alias)
(use_as_clause path: (scoped_identifier path: (_) @import.module name: (_) @import.name) alias: (identifier) @import.alias)
(use_as_clause path: (self) @import.self alias: (identifier) @import.alias)

(use_wildcard . (_) @import.module (#set! name "*"))
(use_wildcard . "*" @import.name)

(extern_crate_declaration name: (identifier) @import.module !alias)
(extern_crate_declaration name: (identifier) @import.module alias: (identifier) @import.alias)
