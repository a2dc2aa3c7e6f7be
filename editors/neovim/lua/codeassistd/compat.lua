--- What differs between the versions of Neovim that the plugin runs on.
local M = {}

--- Whether Neovim shows inline completions itself.
M.has_inline_completion = vim.fn.has('nvim-0.12') == 1
--- Whether servers are configured by `vim.lsp.config` and started by `vim.lsp.enable`.
M.has_lsp_config = vim.fn.has('nvim-0.11') == 1

--- Call a method of a language client; they were plain functions before 0.11.
---@param client vim.lsp.Client
---@param name 'request'|'request_sync'|'notify'|'cancel_request'|'stop'|'is_stopped'
---@return any ...
function M.call(client, name, ...)
  if M.has_lsp_config then
    return client[name](client, ...)
  end
  return client[name](...)
end

--- Where the user configured the server: `vim.lsp.config` where there is one, else only the plugin's options.
---@return table
function M.lsp_config()
  if M.has_lsp_config then
    return vim.lsp.config.codeassistd
  end
  return require('codeassistd.server').config()
end

return M
