--- codeassistd: suggestions while you type, from a model on your own machine. See `:help codeassistd`.
local Suggestion = require('codeassistd.suggestion')
local accept = require('codeassistd.accept')
local answers = require('codeassistd.answers')
local builtin = require('codeassistd.builtin')
local compat = require('codeassistd.compat')
local events = require('codeassistd.events')
local ghost = require('codeassistd.ghost')
local keys = require('codeassistd.keys')
local off = require('codeassistd.off')
local options = require('codeassistd.options')
local request = require('codeassistd.request')
local server = require('codeassistd.server')
local snippet = require('codeassistd.snippet')
local status = require('codeassistd.status')

local M = {}

local is_started = false

--- Bring all buffers in line with the switches.
local function settle_all()
  for _, client in ipairs(server.clients()) do
    for buffer in pairs(client.attached_buffers) do
      builtin.settle(buffer)
    end
  end
  if off.reason(vim.api.nvim_get_current_buf()) then
    request.cancel()
    ghost.dismiss()
  end
  status.refresh()
end

---@param client vim.lsp.Client
local function watch(client)
  answers.watch(client, {
    sent = status.asked,
    answered = function(buffer, suggestions, failure)
      if builtin.is_used() and buffer == vim.api.nvim_get_current_buf() then
        -- Neovim draws this one, in place of what was only the beginning of it or the rest of an older one.
        ghost.dismiss()
        if #suggestions > 0 then
          events.fire('Shown', { suggestion = suggestions[1] })
        end
      end
      status.answered(client, not failure and #suggestions == 0)
    end,
  })
end

--- The user has typed or moved: what is shown follows, or goes.
---@param asks boolean
local function followed(asks)
  snippet.follow(server.clients())
  ghost.follow()
  if builtin.is_used() then
    builtin.follow()
  elseif asks then
    request.ask(request.BY_ITSELF)
  end
end

local function forget_all()
  request.cancel()
  ghost.dismiss()
  answers.forget(vim.api.nvim_get_current_buf())
end

local function follow_user()
  local group = vim.api.nvim_create_augroup('codeassistd', {})
  local function on(event, run)
    vim.api.nvim_create_autocmd(event, { group = group, callback = run })
  end
  local watched = {}
  on('LspAttach', function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'codeassistd' then
      if not watched[client.id] then
        watched[client.id] = true
        watch(client)
      end
      builtin.settle(event.buf)
    end
  end)
  on({ 'TextChangedI', 'TextChangedP' }, function()
    followed(true)
  end)
  on('CursorMovedI', function()
    followed(false)
  end)
  on('InsertEnter', function(event)
    if #server.clients(event.buf) > 0 then
      builtin.settle(event.buf)
      followed(true)
    end
  end)
  on({ 'InsertLeave', 'BufLeave' }, forget_all)
  on('BufEnter', status.entered)
  on('FileType', status.refresh)
end

--- Start once; `plugin/codeassistd.lua` does.
function M.start()
  if is_started then
    return
  end
  is_started = true
  vim.api.nvim_set_hl(0, 'CodeassistdGhost', {
    link = vim.fn.hlexists('ComplHint') == 1 and 'ComplHint' or 'NonText',
    default = true,
  })
  keys.define()
  keys.map_accept_key()
  require('codeassistd.commands').define()
  follow_user()
  server.start()
end

--- Choose options; not needed, and may be called again at any time. See `:help codeassistd-options`.
---@param chosen? table
function M.setup(chosen)
  local faults = options.faults(chosen or {})
  if #faults > 0 then
    vim.notify('codeassistd: ' .. table.concat(faults, '; '), vim.log.levels.ERROR)
    return
  end
  options.choose(chosen or {})
  if compat.has_lsp_config then
    -- Only what was chosen, over what the user may have configured; and `lsp/codeassistd.lua` is read again.
    vim.lsp.config('codeassistd', { cmd = chosen and chosen.cmd })
  end
  if is_started then
    keys.map_accept_key()
    server.push_settings()
    settle_all()
  end
end

--- Accept the suggestion.
---@return boolean accepted false where none is shown
function M.accept()
  return accept.accept(Suggestion.all)
end

--- Accept its next word, and go on showing the rest.
---@return boolean accepted
function M.accept_word()
  return accept.accept(Suggestion.word)
end

--- Accept its next line, and go on showing the rest.
---@return boolean accepted
function M.accept_line()
  return accept.accept(Suggestion.line)
end

--- Take the suggestion away.
---@return boolean dismissed
function M.dismiss()
  return accept.dismiss()
end

--- Show another suggestion, if there is more than one.
---@param step? integer 1 (the default) for the next, -1 for the one before
function M.cycle(step)
  accept.cycle(step or 1)
end

--- Whether a suggestion is shown at the cursor.
---@return boolean
function M.is_shown()
  return accept.shown() ~= nil
end

--- Ask for a suggestion now, also where none come by themselves.
function M.trigger()
  builtin.dismiss(function()
    request.ask(request.BY_HAND)
  end)
end

--- Turn suggestions on or off for this session.
---@param filetype? string only for this language
---@return boolean on
function M.toggle(filetype)
  local is_on = off.toggle(filetype)
  settle_all()
  return is_on
end

--- Have no suggestions by themselves for a while, in all editors of the daemon.
---@param minutes? integer 30 by default; 0 ends it
function M.snooze(minutes)
  server.execute('codeassistd.snooze', { minutes or 30 }, nil, function()
    status.refresh()
  end)
end

--- How things stand in the current buffer.
---@return codeassistd.Status
function M.status()
  return status.now(vim.api.nvim_get_current_buf())
end

--- The same in a few words, for a statusline.
---@return string
function M.statusline()
  return status.statusline()
end

--- End the connection to the server and make a new one.
function M.restart()
  forget_all()
  server.restart()
end

return M
