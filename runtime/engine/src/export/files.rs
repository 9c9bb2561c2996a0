//! Runtime calls on files.

use crate::export::guard::calls;
use crate::operation::Request;

calls! {
    /// `fs.read(path)`
    waiting fs_read(run, path) {
        let path = run.take_text(path).unwrap_or_default();
        run.perform(Request::FsRead { path })
    }

    /// `fs.read_bytes(path)`
    waiting fs_read_bytes(run, path) {
        let path = run.take_text(path).unwrap_or_default();
        run.perform(Request::FsReadBytes { path })
    }

    /// `fs.write(path, text)`
    waiting fs_write(run, path, text) {
        let path = run.take_text(path).unwrap_or_default();
        let text = run.take_text(text).unwrap_or_default();
        run.perform(Request::FsWrite { path, text })
    }

    /// `fs.append(path, text)`
    waiting fs_append(run, path, text) {
        let path = run.take_text(path).unwrap_or_default();
        let text = run.take_text(text).unwrap_or_default();
        run.perform(Request::FsAppend { path, text })
    }

    /// `fs.exists(path)`
    waiting fs_exists(run, path) {
        let path = run.take_text(path).unwrap_or_default();
        run.perform(Request::FsExists { path })
    }

    /// `fs.list(path)`
    waiting fs_list(run, path) {
        let path = run.take_text(path).unwrap_or_default();
        run.perform(Request::FsList { path })
    }

    /// `fs.glob(pattern)`
    waiting fs_glob(run, pattern) {
        let pattern = run.take_text(pattern).unwrap_or_default();
        run.perform(Request::FsGlob { pattern })
    }

    /// `fs.remove(path)`
    waiting fs_remove(run, path) {
        let path = run.take_text(path).unwrap_or_default();
        run.perform(Request::FsRemove { path })
    }

    /// `fs.make_dir(path)`
    waiting fs_make_dir(run, path) {
        let path = run.take_text(path).unwrap_or_default();
        run.perform(Request::FsMakeDir { path })
    }
}
