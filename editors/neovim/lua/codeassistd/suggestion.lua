--- A suggestion as a value: text that goes in at one place of one buffer, and what is left of it as the user types.
local M = {}

---@class codeassistd.Suggestion
---@field buffer integer
---@field row integer zero-based
---@field column integer bytes
---@field text string what accepting inserts; lines end in "\n" whatever the file's do
---@field client_id integer
---@field id? string by which the server knows it

--- The cursor of the current window.
---@return integer row zero-based
---@return integer column bytes
function M.cursor()
  local place = vim.api.nvim_win_get_cursor(0)
  return place[1] - 1, place[2]
end

--- What is left of a suggestion at the cursor.
---@param suggestion codeassistd.Suggestion
---@return codeassistd.Suggestion? rest nil where the user has typed something else, moved away, or typed it all
function M.rest(suggestion)
  if suggestion.buffer ~= vim.api.nvim_get_current_buf() then
    return nil
  end
  local row, column = M.cursor()
  if row < suggestion.row or (row == suggestion.row and column < suggestion.column) then
    return nil
  end
  local first = vim.api.nvim_buf_get_lines(suggestion.buffer, suggestion.row, suggestion.row + 1, false)[1]
  if not first or #first < suggestion.column then
    return nil
  end
  local lines = vim.api.nvim_buf_get_text(suggestion.buffer, suggestion.row, suggestion.column, row, column, {})
  local typed = table.concat(lines, '\n')
  if not vim.startswith(suggestion.text, typed) or #typed == #suggestion.text then
    return nil
  end
  return vim.tbl_extend('force', suggestion, { row = row, column = column, text = suggestion.text:sub(#typed + 1) })
end

--- The suggestion without its first `n` bytes, at the place behind them.
---@param suggestion codeassistd.Suggestion
---@param n integer
---@return codeassistd.Suggestion
function M.after(suggestion, n)
  local lines = vim.split(suggestion.text:sub(1, n), '\n', { plain = true })
  return vim.tbl_extend('force', suggestion, {
    row = suggestion.row + #lines - 1,
    column = (#lines == 1 and suggestion.column or 0) + #lines[#lines],
    text = suggestion.text:sub(n + 1),
  })
end

--- All of a text.
---@param text string
---@return string
function M.all(text)
  return text
end

--- The next word with the blanks before it: letters and digits of any script, or a run of signs.
---@param text string
---@return string
function M.word(text)
  return text:match('^%s*[%w_\128-\255]+') or text:match('^%s*[^%w_\128-\255%s]+') or text
end

--- The rest of the line; behind its end, the next line.
---@param text string
---@return string
function M.line(text)
  return text:match('^\n*[^\n]*')
end

return M
