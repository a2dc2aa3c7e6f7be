--- Ghost text that the plugin draws itself: every suggestion before Neovim 0.12, and on it those that are still
--- growing, asked for by hand, or left over from a part that was accepted.
---
--- One at a time. Typing along keeps the rest of it; anything else takes it away.
local Suggestion = require('codeassistd.suggestion')
local events = require('codeassistd.events')

local M = {}

local namespace = vim.api.nvim_create_namespace('codeassistd')

--- What is shown: one of several, of which the others can be cycled to.
---@class codeassistd.Choice
---@field all codeassistd.Suggestion[]
---@field index integer

---@type codeassistd.Choice?
local shown = nil

local function erase()
  if shown and vim.api.nvim_buf_is_valid(shown.all[1].buffer) then
    vim.api.nvim_buf_clear_namespace(shown.all[1].buffer, namespace, 0, -1)
  end
end

---@param suggestion codeassistd.Suggestion
local function draw(suggestion)
  local below = {}
  local lines = vim.split(suggestion.text, '\n', { plain = true })
  for index = 2, #lines do
    below[#below + 1] = { { lines[index], 'CodeassistdGhost' } }
  end
  vim.api.nvim_buf_set_extmark(suggestion.buffer, namespace, suggestion.row, suggestion.column, {
    virt_text = { { lines[1], 'CodeassistdGhost' } },
    virt_text_pos = 'inline',
    virt_lines = #below > 0 and below or nil,
    hl_mode = 'combine',
  })
end

--- Show the first of these, in place of what is shown.
---@param suggestions codeassistd.Suggestion[] at least one, all at the cursor
function M.show(suggestions)
  erase()
  shown = { all = suggestions, index = 1 }
  draw(suggestions[1])
end

--- Take away what is shown.
function M.dismiss()
  erase()
  shown = nil
end

--- What is shown.
---@return codeassistd.Suggestion?
function M.current()
  return shown and shown.all[shown.index]
end

--- Show another one of the suggestions, if there is more than one.
---@param step integer 1 for the next, -1 for the one before
function M.cycle(step)
  if not shown or #shown.all == 1 then
    return
  end
  erase()
  shown.index = (shown.index - 1 + step) % #shown.all + 1
  draw(shown.all[shown.index])
  events.fire('Shown', { suggestion = M.current() })
end

--- Follow the user to the cursor: keep what is left of the suggestions, or take them away.
function M.follow()
  if not shown then
    return
  end
  local current = M.current() --[[@as codeassistd.Suggestion]]
  local rest = Suggestion.rest(current)
  if not rest then
    M.dismiss()
    return
  end
  if rest.row == current.row and rest.column == current.column then
    return
  end
  local others = vim.tbl_map(Suggestion.rest, shown.all)
  local left = { rest }
  for _, other in pairs(others) do
    if other.text ~= rest.text then
      left[#left + 1] = other
    end
  end
  M.show(left)
end

return M
