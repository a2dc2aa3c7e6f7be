--- The buffer of a conversation: Markdown above, and the prompt in its last line.
---
--- A question stays as the line it was typed in, which Markdown reads as a quotation; the answer follows below it.
local M = {}

local PROMPT = '> '
local CUT_SHORT = '_The answer was cut short; ask again, or ask to go on._'
local namespace = vim.api.nvim_create_namespace('codeassistd.chat')

--- Where an answer is being written: two marks with its text between them.
---@class codeassistd.Answer
---@field first integer
---@field last integer

--- What the buffer calls.
---@class codeassistd.ChatKeys
---@field ask fun(text: string)
---@field cancel fun()
---@field put fun()
---@field yank fun()

--- The row of the prompt, zero-based.
---@param buffer integer
---@return integer
local function prompt_row(buffer)
  return vim.api.nvim_buf_line_count(buffer) - 1
end

--- Put lines above the prompt.
---@param buffer integer
---@param lines string[]
function M.add(buffer, lines)
  local row = prompt_row(buffer)
  vim.api.nvim_buf_set_lines(buffer, row, row, false, lines)
  vim.bo[buffer].modified = false
end

---@param text string
---@return string[]
local function lines_of(text)
  return vim.split(text, '\n', { plain = true })
end

--- The lines of a turn that was said before.
---@param turn { role: 'user'|'assistant', text: string, is_cut: boolean }
---@return string[]
function M.turn(turn)
  local lines = lines_of(turn.text)
  if turn.role == 'user' then
    lines = vim.tbl_map(function(line)
      return PROMPT .. line
    end, lines)
  end
  lines[#lines + 1] = ''
  if turn.is_cut then
    vim.list_extend(lines, { CUT_SHORT, '' })
  end
  return lines
end

--- Make room for an answer above the prompt.
---@param buffer integer
---@return codeassistd.Answer
function M.begin(buffer)
  local row = prompt_row(buffer)
  M.add(buffer, { '', '', '' })
  local function mark(gravity)
    return vim.api.nvim_buf_set_extmark(buffer, namespace, row + 1, 0, { right_gravity = gravity })
  end
  return { first = mark(false), last = mark(true) }
end

---@param buffer integer
---@param mark integer
---@return integer row
---@return integer column
local function place_of(buffer, mark)
  local place = vim.api.nvim_buf_get_extmark_by_id(buffer, namespace, mark, {})
  return place[1], place[2]
end

--- Go on with an answer.
---@param buffer integer
---@param answer codeassistd.Answer
---@param text string
function M.grow(buffer, answer, text)
  local row, column = place_of(buffer, answer.last)
  vim.api.nvim_buf_set_text(buffer, row, column, row, column, lines_of(text))
  vim.bo[buffer].modified = false
end

--- End an answer: it is all of `text`, and `notes` stand below it.
---@param buffer integer
---@param answer codeassistd.Answer
---@param text? string what was shown so far, if nil
---@param notes string[]
function M.finish(buffer, answer, text, notes)
  local first_row, first_column = place_of(buffer, answer.first)
  local row, column = place_of(buffer, answer.last)
  if text then
    vim.api.nvim_buf_set_text(buffer, first_row, first_column, row, column, lines_of(text))
    row = place_of(buffer, answer.last)
  end
  if #notes > 0 then
    vim.api.nvim_buf_set_lines(buffer, row + 1, row + 1, false, vim.list_extend({ '' }, notes))
  end
  vim.bo[buffer].modified = false
  vim.api.nvim_buf_del_extmark(buffer, namespace, answer.first)
  vim.api.nvim_buf_del_extmark(buffer, namespace, answer.last)
end

--- Put a question back into the prompt, to be asked later.
---@param buffer integer
---@param text string
function M.put_back(buffer, text)
  local row = prompt_row(buffer)
  -- The line that it was asked in goes, and the prompt gets it.
  vim.api.nvim_buf_set_lines(buffer, row - 1, -1, false, lines_of(PROMPT .. text))
end

---@param buffer integer
---@param keys codeassistd.ChatKeys
local function map(buffer, keys)
  local function on(modes, lhs, run, description)
    vim.keymap.set(modes, lhs, run, { buffer = buffer, desc = description })
  end
  on('n', '<Plug>(codeassistd-chat-put)', keys.put, 'Put the block of code into the file')
  on('n', '<Plug>(codeassistd-chat-yank)', keys.yank, 'Yank the block of code')
  on('n', '<Plug>(codeassistd-chat-cancel)', keys.cancel, 'End the answer')
  on('n', 'gp', '<Plug>(codeassistd-chat-put)', 'Put the block of code into the file')
  on('n', 'gy', '<Plug>(codeassistd-chat-yank)', 'Yank the block of code')
  on('n', '<C-c>', '<Plug>(codeassistd-chat-cancel)', 'End the answer')
  on('n', 'q', '<Cmd>close<CR>', 'Close')
end

--- Make the buffer of a conversation.
---@param name string
---@param keys codeassistd.ChatKeys
---@return integer buffer
function M.make(name, keys)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].buftype = 'prompt'
  vim.bo[buffer].bufhidden = 'hide'
  vim.bo[buffer].swapfile = false
  vim.api.nvim_buf_set_name(buffer, name)
  vim.bo[buffer].filetype = 'markdown'
  vim.fn.prompt_setprompt(buffer, PROMPT)
  vim.fn.prompt_setcallback(buffer, keys.ask)
  vim.fn.prompt_setinterrupt(buffer, keys.cancel)
  map(buffer, keys)
  -- Nothing is lost with what is typed here, so it keeps nobody from quitting.
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, {
    buffer = buffer,
    callback = function()
      vim.bo[buffer].modified = false
    end,
  })
  return buffer
end

return M
