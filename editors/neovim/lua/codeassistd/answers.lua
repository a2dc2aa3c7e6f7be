--- What the server answers to inline completion requests, whoever sent them: the plugin or Neovim itself.
---
--- Neovim 0.12 asks and draws by itself and tells nobody; so the requests are looked at where they leave the client.
--- An item of the server is an empty range at the cursor and only new text, so the cursor at the time of the request
--- is all there is to know about its place.
local Suggestion = require('codeassistd.suggestion')

local M = {}

M.METHOD = 'textDocument/inlineCompletion'

--- A request on its way.
---@class codeassistd.Asked
---@field client_id integer
---@field row integer
---@field column integer
---@field position lsp.Position

--- Called for each request when it is sent and when it is answered.
---@class codeassistd.Listener
---@field sent fun(buffer: integer)
---@field answered fun(buffer: integer, suggestions: codeassistd.Suggestion[], failure?: lsp.ResponseError)

--- The newest request of each buffer that is not answered yet.
---@type table<integer, codeassistd.Asked>
local asked = {}
--- The newest answer of each buffer.
---@type table<integer, codeassistd.Suggestion[]>
local newest = {}

--- The id that the server's command on acceptance carries.
---@param item table
---@return string?
local function id_of(item)
  return item.command and item.command.arguments and item.command.arguments[1] or nil
end

---@param buffer integer
---@param place codeassistd.Asked
---@param result any
---@return codeassistd.Suggestion[]
local function read(buffer, place, result)
  local suggestions = {}
  for _, item in ipairs(type(result) == 'table' and (result.items or result) or {}) do
    local text = type(item.insertText) == 'table' and item.insertText.value or item.insertText
    -- A buffer's lines have no ends, also where its file has those of Windows. Neovim's own drawing would show them.
    text = text:gsub('\r\n', '\n')
    item.insertText = text
    suggestions[#suggestions + 1] = {
      buffer = buffer,
      row = place.row,
      column = place.column,
      text = text,
      client_id = place.client_id,
      id = id_of(item),
    }
  end
  return suggestions
end

--- Look at what a client asks and is answered from now on; once for each client.
---@param client vim.lsp.Client
---@param listener codeassistd.Listener
function M.watch(client, listener)
  local send = client.rpc.request
  client.rpc.request = function(method, params, callback, ...)
    if method ~= M.METHOD then
      return send(method, params, callback, ...)
    end
    local buffer = vim.uri_to_bufnr(params.textDocument.uri)
    local row, column = Suggestion.cursor()
    local place = { client_id = client.id, row = row, column = column, position = params.position }
    asked[buffer] = place
    listener.sent(buffer)
    return send(method, params, function(failure, result, ...)
      local suggestions = read(buffer, place, result)
      -- An older one that was overtaken says nothing about the newer text.
      if asked[buffer] == place then
        asked[buffer] = nil
        newest[buffer] = suggestions
        listener.answered(buffer, suggestions, failure)
      end
      callback(failure, result, ...)
    end, ...)
  end
end

--- The newest answer of a buffer as far as it still holds at the cursor; empty if it does not.
---@param buffer integer
---@return codeassistd.Suggestion[]
function M.at_cursor(buffer)
  local left = {}
  for _, suggestion in ipairs(newest[buffer] or {}) do
    left[#left + 1] = Suggestion.rest(suggestion)
  end
  return left
end

--- The request of a buffer that waits for its answer.
---@param buffer integer
---@return codeassistd.Asked?
function M.awaited(buffer)
  return asked[buffer]
end

--- The newest answer of a buffer is of no use any more.
---@param buffer integer
function M.forget(buffer)
  newest[buffer] = nil
end

return M
