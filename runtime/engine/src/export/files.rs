//! Runtime calls on files.

use crate::export::guard::calls;
use crate::operation::Request;
use crate::run::{Run, words};
use crate::step::Step;
use crate::value::string;

calls! {
    waiting fs_read(run, path) {
        perform_on(run, path, |path| Request::FsRead { path })
    }

    waiting fs_read_bytes(run, path) {
        perform_on(run, path, |path| Request::FsReadBytes { path })
    }

    waiting fs_write(run, path, text) {
        let text = words::take_string(&mut run.heap, text);
        perform_on(run, path, |path| Request::FsWrite { path, text })
    }

    waiting fs_write_bytes(run, path, bytes) {
        let content = string::bytes(bytes).to_vec();
        run.heap.release(bytes);
        perform_on(run, path, |path| Request::FsWriteBytes { path, bytes: content })
    }

    waiting fs_append(run, path, text) {
        let text = words::take_string(&mut run.heap, text);
        perform_on(run, path, |path| Request::FsAppend { path, text })
    }

    waiting fs_exists(run, path) {
        perform_on(run, path, |path| Request::FsExists { path })
    }

    waiting fs_list(run, path) {
        perform_on(run, path, |path| Request::FsList { path })
    }

    waiting fs_glob(run, pattern) {
        perform_on(run, pattern, |pattern| Request::FsGlob { pattern })
    }

    waiting fs_remove(run, path) {
        perform_on(run, path, |path| Request::FsRemove { path })
    }

    waiting fs_make_dir(run, path) {
        perform_on(run, path, |path| Request::FsMakeDir { path })
    }
}

/// Asks for something at a path, whose word is taken over.
fn perform_on(run: &mut Run, path: u64, request: impl FnOnce(String) -> Request) -> Step {
    let path = words::take_string(&mut run.heap, path);
    run.perform(request(path))
}
