--- Ghost text from `textDocument/inlineCompletion`, for Neovim 0.11 (newer versions have their own).
---
--- One suggestion at a time: it belongs to one buffer, one place and one changed tick. Typing along keeps the rest of
--- it; anything else takes it away. The server's item is an empty range at the cursor and only new text.
local M = {}

local METHOD = 'textDocument/inlineCompletion'
local namespace = vim.api.nvim_create_namespace('codeassistd')

---@class codeassistd.Shown
---@field buffer integer
---@field row integer zero-based
---@field column integer bytes
---@field text string what accepting inserts
---@field command? lsp.Command
---@field client_id integer

---@type codeassistd.Shown?
local shown = nil
---@type (fun())?
local cancel_request = nil

vim.api.nvim_set_hl(0, 'CodeassistdGhost', { link = 'NonText', default = true })

---@return integer row, integer column
local function cursor()
  local place = vim.api.nvim_win_get_cursor(0)
  return place[1] - 1, place[2]
end

---@param suggestion codeassistd.Shown
local function draw(suggestion)
  local lines = vim.split(suggestion.text, '\n', { plain = true })
  local below = {}
  for index = 2, #lines do
    below[#below + 1] = { { lines[index], 'CodeassistdGhost' } }
  end
  vim.api.nvim_buf_set_extmark(suggestion.buffer, namespace, suggestion.row, suggestion.column, {
    virt_text = { { lines[1], 'CodeassistdGhost' } },
    virt_text_pos = 'inline',
    virt_lines = #below > 0 and below or nil,
  })
end

--- Take the suggestion away.
function M.dismiss()
  if cancel_request then
    cancel_request()
    cancel_request = nil
  end
  if shown then
    if vim.api.nvim_buf_is_valid(shown.buffer) then
      vim.api.nvim_buf_clear_namespace(shown.buffer, namespace, 0, -1)
    end
    shown = nil
  end
end

--- What is shown now.
---@return codeassistd.Shown?
function M.current()
  return shown
end

---@param suggestion codeassistd.Shown
local function show(suggestion)
  M.dismiss()
  shown = suggestion
  draw(suggestion)
end

--- Keep the rest of the suggestion if the user has typed its beginning.
---@return boolean kept
local function typed_along()
  local suggestion = shown
  if not suggestion or suggestion.buffer ~= vim.api.nvim_get_current_buf() then
    return false
  end
  local row, column = cursor()
  if row ~= suggestion.row or column <= suggestion.column then
    return false
  end
  local line = vim.api.nvim_buf_get_lines(suggestion.buffer, row, row + 1, true)[1]
  local typed = line:sub(suggestion.column + 1, column)
  if not vim.startswith(suggestion.text, typed) or #typed == #suggestion.text then
    return false
  end
  local rest = vim.tbl_extend('force', suggestion, { column = column, text = suggestion.text:sub(#typed + 1) })
  show(rest)
  return true
end

---@param client vim.lsp.Client
---@param kind 1|2 1: asked for by the user, 2: while typing
local function request(client, kind)
  local buffer = vim.api.nvim_get_current_buf()
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  ---@diagnostic disable-next-line: inject-field
  params.context = { triggerKind = kind }
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local row, column = cursor()
  local sent, id = client:request(METHOD, params, function(failure, result)
    cancel_request = nil
    local same_place = vim.api.nvim_get_current_buf() == buffer
      and vim.api.nvim_buf_get_changedtick(buffer) == tick
      and vim.api.nvim_get_mode().mode:sub(1, 1) == 'i'
    if failure or not same_place then
      return
    end
    local items = result and (result.items or result) or {}
    local item = items[1]
    if not item then
      M.dismiss()
      return
    end
    show({
      buffer = buffer,
      row = row,
      column = column,
      text = type(item.insertText) == 'table' and item.insertText.value or item.insertText,
      command = item.command,
      client_id = client.id,
    })
  end, buffer)
  if sent and id then
    cancel_request = function()
      client:cancel_request(id)
    end
  end
end

---@param kind 1|2
local function ask(kind)
  if cancel_request then
    cancel_request()
    cancel_request = nil
  end
  local client = vim.lsp.get_clients({ bufnr = 0, name = 'codeassistd' })[1]
  if client and client.server_capabilities.inlineCompletionProvider then
    request(client, kind)
  end
end

--- Ask for a suggestion now.
function M.trigger()
  ask(1)
end

--- Insert the suggestion.
---@return boolean accepted false where none is shown
function M.accept()
  local suggestion = shown
  if not suggestion then
    return false
  end
  -- An expression mapping may not change the buffer, so the change comes right after it.
  vim.schedule(function()
    M.dismiss()
    local lines = vim.split(suggestion.text, '\n', { plain = true })
    local row, column = suggestion.row, suggestion.column
    vim.api.nvim_buf_set_text(suggestion.buffer, row, column, row, column, lines)
    local last = lines[#lines]
    vim.api.nvim_win_set_cursor(0, { row + #lines, (#lines == 1 and column or 0) + #last })
    local client = vim.lsp.get_client_by_id(suggestion.client_id)
    if client and suggestion.command then
      client:exec_cmd(suggestion.command, { bufnr = suggestion.buffer })
    end
  end)
  return true
end

--- Follow the user: a key asks, leaving takes the suggestion away.
function M.attach()
  local group = vim.api.nvim_create_augroup('codeassistd', {})
  vim.api.nvim_create_autocmd({ 'TextChangedI', 'TextChangedP' }, {
    group = group,
    callback = function()
      if not typed_along() then
        M.dismiss()
      end
      ask(2)
    end,
  })
  vim.api.nvim_create_autocmd('InsertEnter', {
    group = group,
    callback = function()
      ask(2)
    end,
  })
  vim.api.nvim_create_autocmd('CursorMovedI', {
    group = group,
    callback = function()
      local row, column = cursor()
      if shown and (row ~= shown.row or column ~= shown.column) and not typed_along() then
        M.dismiss()
      end
    end,
  })
  vim.api.nvim_create_autocmd({ 'InsertLeave', 'BufLeave' }, { group = group, callback = M.dismiss })
end

return M
