--- `<Plug>` maps for everything, and the accept key.
local Suggestion = require('codeassistd.suggestion')
local accept = require('codeassistd.accept')
local options = require('codeassistd.options')

local M = {}

--- The key that was mapped, and what Neovim itself had on it.
---@class codeassistd.AcceptKey
---@field lhs string
---@field default? table

---@type codeassistd.AcceptKey?
local mapped = nil

--- What the accept key does where nothing is shown: Neovim's own <Tab> jumps in snippets.
---@return string
local function fall_back()
  local default = mapped and mapped.default
  if default and default.callback then
    return default.callback()
  end
  return mapped and mapped.lhs or '<Tab>'
end

--- Map everything that has a name.
function M.define()
  local function plug(name, modes, run, description, more)
    local settings = vim.tbl_extend('force', { desc = description }, more or {})
    vim.keymap.set(modes, ('<Plug>(codeassistd-%s)'):format(name), run, settings)
  end
  plug('accept', 'i', function()
    return accept.accept(Suggestion.all) and '' or fall_back()
  end, 'Accept the suggestion, or insert a tab', { expr = true })
  plug('accept-word', 'i', function()
    accept.accept(Suggestion.word)
  end, 'Accept the next word of the suggestion')
  plug('accept-line', 'i', function()
    accept.accept(Suggestion.line)
  end, 'Accept the next line of the suggestion')
  plug('dismiss', 'i', accept.dismiss, 'Dismiss the suggestion')
  plug('next', 'i', function()
    accept.cycle(1)
  end, 'Show the next suggestion')
  plug('previous', 'i', function()
    accept.cycle(-1)
  end, 'Show the suggestion before')
  plug('trigger', 'i', function()
    require('codeassistd').trigger()
  end, 'Ask for a suggestion now')
  plug('toggle', { 'n', 'i' }, function()
    require('codeassistd').toggle()
  end, 'Turn suggestions on or off')
  plug('snooze', { 'n', 'i' }, function()
    require('codeassistd').snooze()
  end, 'No suggestions for half an hour')
end

--- Map the accept key that the options name, unless the user has mapped it.
function M.map_accept_key()
  if mapped then
    vim.keymap.del('i', mapped.lhs)
    if mapped.default then
      vim.fn.mapset('i', false, mapped.default)
    end
    mapped = nil
  end
  local key = options.get().accept_key
  if not key then
    return
  end
  local there = vim.fn.maparg(key, 'i', false, true)
  -- Neovim maps <Tab> itself, to jump in snippets; that one is not the user's.
  local is_default = vim.startswith(there.desc or '', 'vim.snippet.jump')
  if vim.tbl_isempty(there) or is_default then
    mapped = { lhs = key, default = is_default and there or nil }
    vim.keymap.set('i', key, '<Plug>(codeassistd-accept)', { desc = 'Accept the suggestion, or insert a tab' })
  end
end

return M
