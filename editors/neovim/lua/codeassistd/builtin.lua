--- The inline completion that Neovim 0.12 has built in, and what it leaves to be done.
---
--- It asks 200 ms after the last key and draws what comes. It keeps showing an old suggestion behind other letters than
--- its own, and accepting that would put it in at its old place; so what is accepted is always what still holds at the
--- cursor, by the plugin's own account (`answers.lua`).
local answers = require('codeassistd.answers')
local compat = require('codeassistd.compat')
local off = require('codeassistd.off')
local options = require('codeassistd.options')

local M = {}

--- The namespace in which Neovim draws.
local namespace = vim.api.nvim_create_namespace('nvim.lsp.inline_completion')

--- Whether Neovim is to ask and draw, rather than the plugin.
---@return boolean
function M.is_used()
  return compat.has_inline_completion and not options.get().own_ghost
end

--- Turn it on in a buffer, or off where the user wants no suggestions.
---
--- The switch is Neovim's own for the buffer, so it concerns other servers of inline completions there too.
---@param buffer integer
function M.settle(buffer)
  if not compat.has_inline_completion then
    return
  end
  local wanted = M.is_used() and not off.reason(buffer)
  local filter = { bufnr = buffer }
  if vim.lsp.inline_completion.is_enabled(filter) ~= wanted then
    vim.lsp.inline_completion.enable(wanted, filter)
  end
end

--- Whether Neovim draws a suggestion, be it one that still holds or not.
---@param buffer integer
---@return boolean
function M.is_drawn(buffer)
  return #vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { limit = 1 }) > 0
end

--- What Neovim shows at the cursor.
---@return codeassistd.Suggestion[] empty where nothing is shown that still holds
function M.current()
  local buffer = vim.api.nvim_get_current_buf()
  if not M.is_used() or not M.is_drawn(buffer) then
    return {}
  end
  return answers.at_cursor(buffer)
end

--- Take away what Neovim shows, then go on with `next`.
---@param next? fun()
function M.dismiss(next)
  local buffer = vim.api.nvim_get_current_buf()
  answers.forget(buffer)
  local is_shown = M.is_used()
    and vim.lsp.inline_completion.get({
      on_accept = function()
        if next then
          next()
        end
      end,
    })
  if not is_shown and next then
    vim.schedule(next)
  end
end

--- Hide what Neovim still shows though the user has typed something else.
function M.follow()
  local buffer = vim.api.nvim_get_current_buf()
  -- Neovim draws in the same event, perhaps after us.
  vim.schedule(function()
    if vim.api.nvim_buf_is_valid(buffer) and M.is_drawn(buffer) and #answers.at_cursor(buffer) == 0 then
      vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    end
  end)
end

--- Show another suggestion, if there is more than one.
---@param step integer
function M.cycle(step)
  vim.lsp.inline_completion.select({ count = step })
end

return M
