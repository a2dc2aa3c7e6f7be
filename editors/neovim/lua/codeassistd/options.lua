--- What the user can choose; `setup` is optional, and may be called again at any time.
local M = {}

--- All options with what holds without `setup`.
---@class codeassistd.Options
local DEFAULTS = {
  --- The command that is the language server. On Neovim 0.11 and newer, `vim.lsp.config` may set it too.
  ---@type string[]
  cmd = { 'codeassistd', 'lsp', '--stdio' },
  --- Settings of the server (see docs/settings.md), for example `{ completion = { eagerness = 'low' } }`.
  ---@type table<string, any>
  settings = {},
  --- The key that accepts a suggestion in Insert mode; false maps none. A key of your own is never taken.
  ---@type string|false
  accept_key = '<Tab>',
  --- Whether suggestions come by themselves from the start; `:Codeassistd toggle` changes it for the session.
  ---@type boolean
  enabled = true,
  --- File types for which none come.
  ---@type string[]
  filetypes_off = {},
  --- Whether the suggestion grows on the screen while several lines of it are still being written.
  ---@type boolean
  grow = true,
  --- Draw all suggestions by the plugin also where Neovim (0.12) could: it asks at each key rather than 200 ms after
  --- the last one.
  ---@type boolean
  own_ghost = false,
}

---@type codeassistd.Options
local chosen = vim.deepcopy(DEFAULTS)

--- What holds now.
---@return codeassistd.Options
function M.get()
  return chosen
end

local TYPES = {
  cmd = 'table',
  settings = 'table',
  accept_key = { 'string', 'boolean' },
  enabled = 'boolean',
  filetypes_off = 'table',
  grow = 'boolean',
  own_ghost = 'boolean',
}

--- What is wrong with some options, one line each.
---@param options table
---@return string[]
function M.faults(options)
  local faults = {}
  for name, value in pairs(options) do
    local allowed = TYPES[name]
    if not allowed then
      local names = vim.tbl_keys(TYPES)
      table.sort(names)
      faults[#faults + 1] = ('unknown option %s; there are %s'):format(name, table.concat(names, ', '))
    elseif not vim.tbl_contains(type(allowed) == 'table' and allowed or { allowed }, type(value)) then
      faults[#faults + 1] = ('option %s cannot be %s'):format(name, vim.inspect(value))
    end
  end
  table.sort(faults)
  return faults
end

--- Take these over the defaults.
---@param options table
function M.choose(options)
  chosen = vim.tbl_extend('force', vim.deepcopy(DEFAULTS), options)
end

return M
