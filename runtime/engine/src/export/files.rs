//! Runtime calls on files.

use crate::export::guard::calls;
use crate::operation::Request;
use crate::run::Run;
use crate::step::Step;
use crate::value::string;

calls! {
    /// `fs.read(path)`
    waiting fs_read(run, path) {
        run.perform_on(path, |path| Request::FsRead { path })
    }

    /// `fs.read_bytes(path)`
    waiting fs_read_bytes(run, path) {
        run.perform_on(path, |path| Request::FsReadBytes { path })
    }

    /// `fs.write(path, text)`
    waiting fs_write(run, path, text) {
        let text = run.take_string(text);
        run.perform_on(path, |path| Request::FsWrite { path, text })
    }

    /// `fs.write_bytes(path, bytes)`
    waiting fs_write_bytes(run, path, bytes) {
        let content = string::bytes(bytes).to_vec();
        run.heap.release(bytes);
        run.perform_on(path, |path| Request::FsWriteBytes { path, bytes: content })
    }

    /// `fs.append(path, text)`
    waiting fs_append(run, path, text) {
        let text = run.take_string(text);
        run.perform_on(path, |path| Request::FsAppend { path, text })
    }

    /// `fs.exists(path)`
    waiting fs_exists(run, path) {
        run.perform_on(path, |path| Request::FsExists { path })
    }

    /// `fs.list(path)`
    waiting fs_list(run, path) {
        run.perform_on(path, |path| Request::FsList { path })
    }

    /// `fs.glob(pattern)`
    waiting fs_glob(run, pattern) {
        run.perform_on(pattern, |pattern| Request::FsGlob { pattern })
    }

    /// `fs.remove(path)`
    waiting fs_remove(run, path) {
        run.perform_on(path, |path| Request::FsRemove { path })
    }

    /// `fs.make_dir(path)`
    waiting fs_make_dir(run, path) {
        run.perform_on(path, |path| Request::FsMakeDir { path })
    }
}

impl Run {
    /// Asks for something at a path, whose word is taken over.
    fn perform_on(&mut self, path: u64, request: impl FnOnce(String) -> Request) -> Step {
        let path = self.take_string(path);
        self.perform(request(path))
    }
}
