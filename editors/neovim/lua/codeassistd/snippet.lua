--- Telling the server while the user fills in a snippet's places, where suggestions would be in the way.
local compat = require('codeassistd.compat')

local M = {}

local was_active = false

--- Look whether that has begun or ended.
---@param clients vim.lsp.Client[]
function M.follow(clients)
  local is_active = vim.snippet.active()
  if is_active == was_active then
    return
  end
  was_active = is_active
  for _, client in ipairs(clients) do
    compat.call(client, 'notify', 'codeassistd/snippet', { active = is_active })
  end
end

return M
