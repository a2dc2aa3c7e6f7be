--- `User` events for configurations: CodeassistdShown, CodeassistdAccepted, CodeassistdDismissed, CodeassistdStatus.
local M = {}

--- Tell whoever listens.
---@param name 'Shown'|'Accepted'|'Dismissed'|'Status'
---@param data table
function M.fire(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = 'Codeassistd' .. name, data = data, modeline = false })
end

return M
