-- Loaded at start, so that everything works without `setup()`.
if vim.g.loaded_codeassistd then
  return
end
vim.g.loaded_codeassistd = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('codeassistd needs Neovim 0.10 or newer', vim.log.levels.WARN)
  return
end

require('codeassistd').start()
