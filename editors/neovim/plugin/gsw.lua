-- Groundswell in Neovim: files, language server, colours of tree-sitter where its parser is there, what the lenses do.

vim.filetype.add({ extension = { gsw = "gsw" } })
vim.lsp.enable("gswc")

vim.api.nvim_create_autocmd("FileType", {
  pattern = "gsw",
  callback = function(event)
    vim.bo[event.buf].commentstring = "// %s"
    vim.bo[event.buf].shiftwidth = 2
    vim.bo[event.buf].expandtab = true
    -- Without the parser the server's colours are there alone.
    pcall(vim.treesitter.start, event.buf, "gsw")
  end,
})

--- Runs `gswc` on what a lens names, in a terminal below the text.
local function in_terminal(words)
  return function(command)
    local file = vim.uri_to_fname(command.arguments[1])
    local line = vim.list_extend({ "gswc" }, words(file, command.arguments[2]))
    vim.cmd("botright new")
    vim.fn.jobstart(line, { term = true })
  end
end

vim.lsp.commands["gsw.run"] = in_terminal(function(file, name)
  return { "run", file, name }
end)
vim.lsp.commands["gsw.test"] = in_terminal(function(file, name)
  return { "test", file, "--only", name }
end)
vim.lsp.commands["gsw.prompt"] = in_terminal(function(file, name)
  return { "prompt", file, name, "--examples" }
end)
