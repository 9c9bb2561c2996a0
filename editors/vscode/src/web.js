// The extension where no program can be started, as in a browser: colours, brackets and comments, which need no code.

exports.activate = () => {};
