---@brief
--- The codeassistd language server, for `vim.lsp.enable('codeassistd')`.
return {
  cmd = { 'codeassistd', 'lsp', '--stdio' },
  root_markers = { '.git', '.codeassistd.toml' },
}
