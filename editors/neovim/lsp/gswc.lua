-- The language server of Groundswell, as `vim.lsp.enable("gswc")` takes it.

return {
  cmd = { "gswc", "lsp" },
  filetypes = { "gsw" },
  root_markers = { "gsw.toml", ".git" },
}
