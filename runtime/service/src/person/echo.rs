//! Keys that the terminal does not show while they are typed.

#[cfg(unix)]
pub use unix::{Unseen, restore};

#[cfg(unix)]
mod unix {
    use std::io::stdin;
    use std::sync::{Mutex, PoisonError};

    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

    /// What the terminal was set to before; it is to be set to that again.
    static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

    /// While it lives, the terminal shows no keys.
    pub struct Unseen(());

    impl Unseen {
        /// `None` where standard input is no terminal, or one that cannot hide keys.
        pub fn begin() -> Option<Self> {
            let before = tcgetattr(stdin()).ok()?;
            let mut hidden = before.clone();
            hidden.local_modes.remove(LocalModes::ECHO);
            *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
            if tcsetattr(stdin(), OptionalActions::Now, &hidden).is_err() {
                restore();
                return None;
            }
            Some(Self(()))
        }
    }

    impl Drop for Unseen {
        fn drop(&mut self) {
            restore();
        }
    }

    /// Restores the terminal, for a process that ends while keys are typed.
    pub fn restore() {
        let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = before.take() {
            // A terminal that has gone away needs nothing.
            let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
        }
    }
}

/// Not supported elsewhere: keys are echoed.
#[cfg(not(unix))]
pub struct Unseen(());

#[cfg(not(unix))]
impl Unseen {
    pub fn begin() -> Option<Self> {
        None
    }
}

#[cfg(not(unix))]
pub fn restore() {}
