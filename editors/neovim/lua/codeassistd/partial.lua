--- A suggestion that grows while its later lines are still being written.
---
--- The server sends what is fit to show so far, all of it each time, until it answers the request.
local Suggestion = require('codeassistd.suggestion')
local answers = require('codeassistd.answers')
local builtin = require('codeassistd.builtin')
local events = require('codeassistd.events')
local ghost = require('codeassistd.ghost')

local M = {}

--- Handle `codeassistd/partial`.
---@param params { id: string, uri: string, version: integer, position: lsp.Position, text: string }
function M.handle(params)
  local buffer = vim.api.nvim_get_current_buf()
  local place = answers.awaited(buffer)
  -- What Neovim draws still holds, or goes in a moment; two at once would be one too many.
  if builtin.is_drawn(buffer) then
    return
  end
  if not place or vim.uri_from_bufnr(buffer) ~= params.uri or not vim.deep_equal(place.position, params.position) then
    return
  end
  local rest = vim.api.nvim_get_mode().mode:sub(1, 1) == 'i'
    and Suggestion.rest({
      buffer = buffer,
      row = place.row,
      column = place.column,
      text = (params.text:gsub('\r\n', '\n')),
      client_id = place.client_id,
      id = params.id,
    })
  if rest then
    ghost.show({ rest })
    events.fire('Shown', { suggestion = rest, is_partial = true })
  end
end

return M
