(package_clause) @outline.whole
(import_declaration "import" @keyword (import_spec) @outline.whole)
(import_declaration "import" @keyword (import_spec_list (import_spec) @outline.whole))

(function_declaration) @outline.elided
(method_declaration) @outline.elided

(type_declaration "type" @keyword (type_spec type: (struct_type (field_declaration_list) @body)) @outline.open)
(type_declaration "type" @keyword (type_spec type: (interface_type "{" @body)) @outline.open)
(type_declaration "type" @keyword (type_spec) @outline.whole)
(type_declaration "type" @keyword (type_alias) @outline.whole)
(field_declaration) @outline.whole
(method_elem) @outline.whole

(source_file (const_declaration "const" @keyword (const_spec) @outline.whole))
(source_file (var_declaration "var" @keyword (var_spec) @outline.whole))
(source_file (var_declaration "var" @keyword (var_spec_list (var_spec) @outline.whole)))
