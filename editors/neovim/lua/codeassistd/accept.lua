--- Taking a suggestion, all of it or a part; the same text whichever way it is taken.
local Suggestion = require('codeassistd.suggestion')
local builtin = require('codeassistd.builtin')
local events = require('codeassistd.events')
local ghost = require('codeassistd.ghost')
local server = require('codeassistd.server')

local M = {}

--- What is shown at the cursor, whoever draws it.
---@return codeassistd.Suggestion?
function M.shown()
  local own = ghost.current()
  return own and Suggestion.rest(own) or builtin.current()[1]
end

--- Put the beginning of a suggestion into the buffer, and go on showing the rest.
---@param suggestion codeassistd.Suggestion at the cursor
---@param piece string
local function insert(suggestion, piece)
  if not Suggestion.rest(suggestion) then
    return
  end
  -- One undo takes back what was accepted, and not what was typed before.
  vim.cmd('let &g:undolevels = &g:undolevels')
  local row, column = suggestion.row, suggestion.column
  vim.api.nvim_buf_set_text(suggestion.buffer, row, column, row, column, vim.split(piece, '\n', { plain = true }))
  local rest = Suggestion.after(suggestion, #piece)
  vim.api.nvim_win_set_cursor(0, { rest.row + 1, rest.column })
  if rest.text ~= '' then
    ghost.show({ rest })
  elseif suggestion.id then
    server.execute('codeassistd.accepted', { suggestion.id }, suggestion.client_id)
  end
  events.fire('Accepted', { text = piece, is_whole = rest.text == '', suggestion = suggestion })
end

--- Accept as much of the suggestion as `part` cuts off its text.
---@param part fun(text: string): string
---@return boolean accepted false where nothing is shown
function M.accept(part)
  local suggestion = M.shown()
  if not suggestion then
    return false
  end
  ghost.dismiss()
  -- An expression mapping may not change the buffer, so the change comes right after it.
  builtin.dismiss(function()
    insert(suggestion, part(suggestion.text))
  end)
  return true
end

--- Take the suggestion away.
---@return boolean dismissed false where nothing was shown
function M.dismiss()
  local suggestion = M.shown()
  ghost.dismiss()
  builtin.dismiss()
  if suggestion then
    events.fire('Dismissed', { suggestion = suggestion })
  end
  return suggestion ~= nil
end

--- Show another suggestion, if there is more than one.
---@param step integer
function M.cycle(step)
  if ghost.current() then
    ghost.cycle(step)
  elseif builtin.is_used() then
    builtin.cycle(step)
  end
end

return M
