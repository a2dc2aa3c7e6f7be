---@brief
--- The codeassistd language server, for `vim.lsp.enable('codeassistd')` on Neovim 0.11 and newer.
return require('codeassistd.server').config()
