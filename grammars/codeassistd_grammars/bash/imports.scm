((command name: (command_name (word) @_command) . argument: [(word) (string) (raw_string)] @import.module)
 (#any-of? @_command "source" "."))
