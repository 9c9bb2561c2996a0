//! Resolves host names, on threads of its own: the system's resolver blocks, and must not wait for files and programs.

use std::collections::{HashMap, VecDeque};
use std::error::Error;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::panic::catch_unwind;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::thread::Builder;
use std::time::Duration;
use std::vec;

use hyper_util::client::legacy::connect::dns;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::oneshot::{Sender, channel};
use tower_service::Service;

/// Look-ups at once; more wait. A guess: a look-up that gets no answer takes half a minute.
const THREADS: usize = 8;
/// How long a thread waits for work before it ends.
const IDLE: Duration = Duration::from_secs(10);

/// The addresses of a name, or why there are none.
type Answer = Result<Vec<SocketAddr>, String>;

/// The look-ups of the process; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Names(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    work: Condvar,
    look_up: fn(&str) -> io::Result<Vec<SocketAddr>>,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<String>,
    /// The callers that wait for a name that is queued or being looked up: one look-up answers all of them.
    waiting: HashMap<String, Vec<Sender<Answer>>>,
    threads: usize,
    idle: usize,
}

impl Names {
    /// The names that all clients of the process share.
    pub fn of_process() -> Self {
        static NAMES: OnceLock<Names> = OnceLock::new();
        NAMES.get_or_init(|| Self::by(of_system)).clone()
    }

    fn by(look_up: fn(&str) -> io::Result<Vec<SocketAddr>>) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::default(),
            work: Condvar::new(),
            look_up,
        }))
    }

    pub async fn addresses(&self, name: String) -> Answer {
        let (sender, answer) = channel();
        self.ask(name, sender);
        let gone = |_| Err("the look-up ended without an answer".to_owned());
        answer.await.unwrap_or_else(gone)
    }

    fn ask(&self, name: String, sender: Sender<Answer>) {
        let mut state = self.0.lock();
        if let Some(waiting) = state.waiting.get_mut(&name) {
            waiting.push(sender);
            return;
        }
        state.waiting.insert(name.clone(), vec![sender]);
        state.queue.push_back(name.clone());
        if state.idle >= state.queue.len() {
            self.0.work.notify_one();
            return;
        }
        if state.threads == THREADS {
            return;
        }
        let shared = Arc::clone(&self.0);
        match Builder::new()
            .name("gsw-names".into())
            .spawn(move || shared.serve())
        {
            Ok(_) => state.threads += 1,
            Err(error) if state.threads == 0 => {
                state.queue.clear();
                let message = format!("no thread can be started to look it up: {error}");
                state.answer(&name, &Err(message));
            }
            // Those that are there do it.
            Err(_) => {}
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of a thread.
    fn serve(&self) {
        let mut state = self.lock();
        loop {
            if let Some(name) = state.queue.pop_front() {
                drop(state);
                let answer = self.looked_up(&name);
                state = self.lock();
                state.answer(&name, &answer);
                continue;
            }
            state.idle += 1;
            let waited = self.work.wait_timeout(state, IDLE);
            let is_over;
            (state, is_over) = match waited {
                Ok((state, waited)) => (state, waited.timed_out()),
                Err(poisoned) => (poisoned.into_inner().0, false),
            };
            state.idle -= 1;
            if is_over && state.queue.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    fn looked_up(&self, name: &str) -> Answer {
        match catch_unwind(|| (self.look_up)(name)) {
            Ok(Ok(addresses)) => Ok(addresses),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the look-up panicked".into()),
        }
    }
}

impl State {
    fn answer(&mut self, name: &str, answer: &Answer) {
        for sender in self.waiting.remove(name).into_iter().flatten() {
            // A caller that does not wait any more needs no answer.
            let _ = sender.send(answer.clone());
        }
    }
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let (this, name) = (self.clone(), name.as_str().to_owned());
        Box::pin(async move {
            let addresses = this.addresses(name).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

impl Service<dns::Name> for Names {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: dns::Name) -> Self::Future {
        let (this, name) = (self.clone(), name.as_str().to_owned());
        Box::pin(async move { Ok(this.addresses(name).await?.into_iter()) })
    }
}

fn of_system(name: &str) -> io::Result<Vec<SocketAddr>> {
    Ok((name, 0).to_socket_addrs()?.collect())
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::sync::{Mutex, PoisonError};
    use std::{io, thread};

    use tokio::runtime::Builder;
    use tokio::task::JoinSet;

    use super::Names;

    /// Held while names wait; each look-up takes it.
    static GATE: Mutex<()> = Mutex::new(());
    static LOOKED_UP: AtomicUsize = AtomicUsize::new(0);

    fn gated(name: &str) -> io::Result<Vec<SocketAddr>> {
        drop(GATE.lock().unwrap_or_else(PoisonError::into_inner));
        LOOKED_UP.fetch_add(1, Ordering::SeqCst);
        assert!(!name.starts_with("panic"), "as it is asked to");
        Ok(vec![SocketAddr::from(([127, 0, 0, 1], name.len() as u16))])
    }

    #[test]
    fn equal_names_are_looked_up_once_and_a_panic_is_an_answer() {
        // No thread of the runtime may block: its pool holds one.
        let runtime = Builder::new_current_thread()
            .max_blocking_threads(1)
            .build();
        let runtime = runtime.expect("a runtime can be made");
        let (closed, gate) = channel();
        let (open, opened) = channel::<()>();
        let keeper = thread::spawn(move || {
            let held = GATE.lock().unwrap_or_else(PoisonError::into_inner);
            closed.send(()).expect("the test waits");
            let _ = opened.recv();
            drop(held);
        });
        gate.recv().expect("it is closed");
        runtime.block_on(async {
            let names = Names::by(gated);
            let mut asked = JoinSet::new();
            for count in 0..100 {
                let names = names.clone();
                let name = ["one", "three", "panic"][count % 3].to_owned();
                asked.spawn(async move { names.addresses(name).await });
            }
            // All have asked before any is answered.
            for _ in 0..200 {
                tokio::task::yield_now().await;
            }
            drop(open);
            let mut failed = 0;
            while let Some(answer) = asked.join_next().await {
                match answer.expect("it does not panic") {
                    Ok(addresses) => assert!([3, 5].contains(&addresses[0].port())),
                    Err(message) => {
                        assert_eq!(message, "the look-up panicked");
                        failed += 1;
                    }
                }
            }
            assert_eq!(failed, 33);
        });
        assert_eq!(LOOKED_UP.load(Ordering::SeqCst), 3);
        keeper.join().expect("it does not panic");
    }
}
