(using_directive !name [(identifier) (qualified_name)] @import.module)
(using_directive name: (identifier) @import.alias [(qualified_name) (generic_name)] @import.module)
