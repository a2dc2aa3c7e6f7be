--- Asking for a suggestion at the cursor, by the plugin itself; a newer request takes the older one back.
local answers = require('codeassistd.answers')
local compat = require('codeassistd.compat')
local events = require('codeassistd.events')
local ghost = require('codeassistd.ghost')
local off = require('codeassistd.off')

local M = {}

--- Who asks, in the protocol's numbers.
M.BY_HAND, M.BY_ITSELF = 1, 2

--- The request that is on its way.
---@type { take_back: fun() }?
local current = nil

--- Give up the request that is on its way.
function M.cancel()
  if current then
    current.take_back()
    current = nil
  end
end

---@param buffer integer
local function show_answer(buffer)
  if vim.api.nvim_get_current_buf() ~= buffer or vim.api.nvim_get_mode().mode:sub(1, 1) ~= 'i' then
    return
  end
  local suggestions = answers.at_cursor(buffer)
  if #suggestions == 0 then
    ghost.dismiss()
    return
  end
  ghost.show(suggestions)
  events.fire('Shown', { suggestion = suggestions[1] })
end

--- Ask for the current buffer.
---@param kind 1|2
function M.ask(kind)
  M.cancel()
  local buffer = vim.api.nvim_get_current_buf()
  if kind == M.BY_ITSELF and off.reason(buffer) then
    return
  end
  local client = vim.lsp.get_clients({ bufnr = buffer, name = 'codeassistd' })[1]
  if not client or not client.server_capabilities or not client.server_capabilities.inlineCompletionProvider then
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  ---@diagnostic disable-next-line: inject-field
  params.context = { triggerKind = kind }
  local mine = { take_back = function() end }
  local is_sent, id = compat.call(client, 'request', answers.METHOD, params, function(failure)
    if current ~= mine then
      return
    end
    current = nil
    if not failure then
      show_answer(buffer)
    end
  end, buffer)
  if is_sent and id then
    current = mine
    mine.take_back = function()
      compat.call(client, 'cancel_request', id)
    end
  end
end

return M
