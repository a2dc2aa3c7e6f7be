(import_spec !name path: (_) @import.module)
(import_spec name: (_) @import.alias path: (_) @import.module)
