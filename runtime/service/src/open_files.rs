//! How many files and connections the process may have open: as many as the system lets it have.

/// Raises the limit that is only a habit to the one that is set: a `parallel` without `limit` opens a connection for each prompt.
#[cfg(unix)]
pub fn raise_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        // Where it cannot be raised, it stays as it is.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

#[cfg(not(unix))]
pub fn raise_limit() {}
