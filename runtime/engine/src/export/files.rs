//! Runtime calls on files.

use crate::export::guard::calls;
use crate::operation::Request;
use crate::run::{Run, words};
use crate::step::Step;
use crate::value::string;

calls! {
    /// `fs.read(path)`
    waiting fs_read(run, path) {
        perform_on(run, path, |path| Request::FsRead { path })
    }

    /// `fs.read_bytes(path)`
    waiting fs_read_bytes(run, path) {
        perform_on(run, path, |path| Request::FsReadBytes { path })
    }

    /// `fs.write(path, text)`
    waiting fs_write(run, path, text) {
        let text = words::take_string(&mut run.heap, text);
        perform_on(run, path, |path| Request::FsWrite { path, text })
    }

    /// `fs.write_bytes(path, bytes)`
    waiting fs_write_bytes(run, path, bytes) {
        let content = string::bytes(bytes).to_vec();
        run.heap.release(bytes);
        perform_on(run, path, |path| Request::FsWriteBytes { path, bytes: content })
    }

    /// `fs.append(path, text)`
    waiting fs_append(run, path, text) {
        let text = words::take_string(&mut run.heap, text);
        perform_on(run, path, |path| Request::FsAppend { path, text })
    }

    /// `fs.exists(path)`
    waiting fs_exists(run, path) {
        perform_on(run, path, |path| Request::FsExists { path })
    }

    /// `fs.list(path)`
    waiting fs_list(run, path) {
        perform_on(run, path, |path| Request::FsList { path })
    }

    /// `fs.glob(pattern)`
    waiting fs_glob(run, pattern) {
        perform_on(run, pattern, |pattern| Request::FsGlob { pattern })
    }

    /// `fs.remove(path)`
    waiting fs_remove(run, path) {
        perform_on(run, path, |path| Request::FsRemove { path })
    }

    /// `fs.make_dir(path)`
    waiting fs_make_dir(run, path) {
        perform_on(run, path, |path| Request::FsMakeDir { path })
    }
}

/// Asks for something at a path, whose word is taken over.
fn perform_on(run: &mut Run, path: u64, request: impl FnOnce(String) -> Request) -> Step {
    let path = words::take_string(&mut run.heap, path);
    run.perform(request(path))
}
