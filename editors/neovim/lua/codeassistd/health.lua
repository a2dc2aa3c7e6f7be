--- `:checkhealth codeassistd`.
local builtin = require('codeassistd.builtin')
local options = require('codeassistd.options')
local server = require('codeassistd.server')

local M = {}

local VERSION_MS = 10000

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.10') == 0 then
    vim.health.error(('Neovim %s is too old; 0.10 or newer is needed'):format(version))
    return
  end
  local who = builtin.is_used() and 'shows inline completions itself' or 'gets its ghost text from the plugin'
  vim.health.ok(('Neovim %s %s'):format(version, who))
end

local function check_program()
  local fault = server.fault()
  local command = server.program({ '--version' })
  if fault then
    vim.health.error(fault)
  elseif not command then
    vim.health.info('the server is started by a function')
  else
    local done = vim.system(command, { text = true }):wait(VERSION_MS)
    if done.code == 0 then
      vim.health.ok(('%s: %s'):format(command[1], vim.trim(done.stdout)))
    else
      vim.health.error(('%s does not run: %s'):format(table.concat(command, ' '), vim.trim(done.stderr or '')))
    end
  end
end

local function check_server()
  local clients = server.clients()
  if #clients == 0 then
    vim.health.warn('no server runs', 'open a file that has a file type; then look at :LspLog')
    return
  end
  local now = require('codeassistd').status()
  local line = ('%d connected; state %s %s'):format(#clients, now.state, now.detail)
  if now.state == 'error' then
    vim.health.error(line, 'run :Codeassistd doctor')
  else
    vim.health.ok(vim.trim(line))
  end
end

local function check_keys()
  local key = options.get().accept_key
  if not key then
    vim.health.info('no accept key is mapped (option accept_key)')
    return
  end
  local there = vim.fn.maparg(key, 'i', false, true)
  if (there.rhs or ''):find('codeassistd-accept', 1, true) then
    vim.health.ok(key .. ' accepts a suggestion')
  else
    local advice = 'map another key to <Plug>(codeassistd-accept), or set the option accept_key'
    vim.health.warn(key .. ' is mapped to something else, and does not accept suggestions', advice)
  end
end

--- Look at everything that can be wrong in the editor.
function M.check()
  vim.health.start('codeassistd')
  check_neovim()
  check_program()
  check_server()
  check_keys()
  vim.health.info('for the daemon, its model and the index: :Codeassistd doctor')
end

return M
