--- The language server: how it is started, found, restarted and told things.
local compat = require('codeassistd.compat')
local options = require('codeassistd.options')
local status = require('codeassistd.status')

local M = {}

local NAME = 'codeassistd'
local INSTALL = 'install its wheel (pipx install dist/codeassistd-*.whl) or tell where it is (:help codeassistd-server)'
local SHUTDOWN_MS = 2000
local POLL_MS = 20

--- Whether a running client serves a new buffer too: one for each root, and one for all files without a root.
---@param client vim.lsp.Client
---@param config vim.lsp.ClientConfig
---@return boolean
local function serves(client, config)
  return client.name == NAME and client.config.root_dir == config.root_dir and not compat.call(client, 'is_stopped')
end

--- What `vim.lsp.config` gets; `lsp/codeassistd.lua` hands it out.
---@return vim.lsp.Config
function M.config()
  local chosen = options.get()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  ---@diagnostic disable-next-line: inject-field
  capabilities.experimental = { codeassistd = { partial = chosen.grow } }
  return {
    name = NAME,
    cmd = chosen.cmd,
    root_markers = { '.git', '.codeassistd.toml' },
    reuse_client = serves,
    capabilities = capabilities,
    settings = { codeassistd = chosen.settings },
    handlers = {
      ['codeassistd/status'] = function(_, params)
        status.handle(params)
      end,
      ['codeassistd/partial'] = function(_, params)
        require('codeassistd.partial').handle(params)
      end,
      ['$/progress'] = function(failure, params, ...)
        if not require('codeassistd.chat').progressed(params) then
          vim.lsp.handlers['$/progress'](failure, params, ...)
        end
      end,
    },
    on_exit = function(code)
      vim.schedule(function()
        if #M.clients() == 0 then
          status.server_gone(code == 0 and '' or ('the server ended with code %d; :Codeassistd restart'):format(code))
        end
      end)
    end,
  }
end

--- The running clients.
---@param buffer? integer only those of this buffer
---@return vim.lsp.Client[]
function M.clients(buffer)
  return vim.lsp.get_clients({ name = NAME, bufnr = buffer })
end

--- The command line of the program for one of its other verbs.
---@param arguments string[]
---@return string[]?
function M.program(arguments)
  local cmd = compat.lsp_config().cmd
  if type(cmd) ~= 'table' then
    return nil
  end
  local words = vim.deepcopy(cmd)
  -- What starts the server ends in `lsp --stdio`, whatever comes before.
  while words[#words] == '--stdio' or words[#words] == 'lsp' do
    words[#words] = nil
  end
  return vim.list_extend(words, arguments)
end

--- What keeps the server from being started; nil if nothing does.
---@return string?
function M.fault()
  local cmd = compat.lsp_config().cmd
  if type(cmd) == 'table' and vim.fn.executable(cmd[1]) == 0 then
    return ('there is no program %s; %s'):format(cmd[1], INSTALL)
  end
  return nil
end

--- Before 0.11 Neovim starts no servers by itself.
---@param buffer integer
local function start_in(buffer)
  if vim.bo[buffer].buftype ~= '' or vim.bo[buffer].filetype == '' then
    return
  end
  local config = M.config()
  config.root_dir = vim.fs.root(buffer, config.root_markers)
  vim.lsp.start(config, { bufnr = buffer, reuse_client = serves })
end

--- Have the server started for the buffers that are there and those that come; says once if it cannot be.
function M.start()
  local fault = M.fault()
  status.server_gone(fault or '')
  if fault then
    vim.notify('codeassistd: ' .. fault, vim.log.levels.WARN)
    return
  end
  if compat.has_lsp_config then
    vim.lsp.enable(NAME)
    return
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('codeassistd_start', {}),
    callback = function(event)
      start_in(event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      start_in(buffer)
    end
  end
end

---@param clients vim.lsp.Client[]
---@param left_ms integer
---@param next fun()
local function once_stopped(clients, left_ms, next)
  local running = vim.tbl_filter(function(client)
    return not compat.call(client, 'is_stopped')
  end, clients)
  if #running == 0 then
    next()
    return
  end
  if left_ms <= 0 then
    for _, client in ipairs(running) do
      compat.call(client, 'stop', true)
    end
  end
  vim.defer_fn(function()
    once_stopped(running, left_ms - POLL_MS, next)
  end, POLL_MS)
end

--- End the connection and make a new one, for the same buffers; the daemon goes on.
function M.restart()
  local clients, places = M.clients(), {}
  for _, client in ipairs(clients) do
    for buffer in pairs(client.attached_buffers) do
      places[#places + 1] = { buffer = buffer, root = client.config.root_dir }
    end
    compat.call(client, 'stop')
  end
  once_stopped(clients, SHUTDOWN_MS, function()
    M.start()
    if M.fault() then
      return
    end
    for _, place in ipairs(places) do
      if vim.api.nvim_buf_is_loaded(place.buffer) then
        local config = vim.tbl_extend('force', compat.lsp_config(), { name = NAME, root_dir = place.root })
        vim.lsp.start(config, { bufnr = place.buffer, reuse_client = serves })
      end
    end
  end)
end

--- Tell the running servers the settings that hold now.
function M.push_settings()
  local settings = compat.lsp_config().settings
  for _, client in ipairs(M.clients()) do
    client.settings = settings
    compat.call(client, 'notify', 'workspace/didChangeConfiguration', { settings = client.settings })
  end
end

--- Have the server run one of its commands.
---@param command string
---@param arguments any[]
---@param client_id? integer by default any that runs
---@param next? fun(result: any)
function M.execute(command, arguments, client_id, next)
  local client = client_id and vim.lsp.get_client_by_id(client_id) or M.clients()[1]
  if not client then
    vim.notify('codeassistd: no server runs here; see :checkhealth codeassistd', vim.log.levels.WARN)
    return
  end
  local params = { command = command, arguments = arguments }
  compat.call(client, 'request', 'workspace/executeCommand', params, function(failure, result)
    if failure then
      vim.notify('codeassistd: ' .. failure.message, vim.log.levels.WARN)
    elseif next then
      next(result)
    end
  end, 0)
end

return M
