//! What a hit of the cache costs for an answer of 1 kB, in memory and on the disk, beside the least that could give the text.
//!
//! `cargo run --release -p gsw-agents --example cache_hits [answers]`

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use gsw_agents::{Cache, Disk};
use gsw_driver::answers::Answers;
use gsw_driver::call::Call;
use gsw_engine::answers::{Found, KeptAnswer, LookUp, Tier};
use rusqlite::Connection;

fn main() {
    let count = std::env::args().nth(1).and_then(|it| it.parse().ok());
    let count: usize = count.unwrap_or(900);
    let folder = std::env::temp_dir().join(format!("gsw-cache-hits-{}", std::process::id()));
    let file = folder.join("answers.db");
    let text = "x".repeat(1_000);
    let call = Call::alone();
    let keys: Vec<String> = (0..count).map(|it| format!("{it:064x}")).collect();
    let open = || Cache::default().with_disk(Disk::new(file.clone(), |why| panic!("{why}")));

    let writer = open();
    for key in &keys {
        writer.keep(answer(key, &text), &call);
    }
    let in_memory = of_each(&keys, |key| {
        assert!(matches!(writer.look_up(&what(key), &call), Found::Hit(_)));
    });
    // A process that begins: each key is found on the disk, once.
    let reader = open();
    reader.look_up(&what("none"), &call);
    let on_disk = of_each(&keys, |key| {
        assert!(matches!(reader.look_up(&what(key), &call), Found::Hit(_)));
    });
    let map: HashMap<&str, &str> = keys.iter().map(|it| (it.as_str(), text.as_str())).collect();
    let map = Mutex::new(map);
    let bare_memory = of_each(&keys, |key| {
        let map = map.lock().expect("one thread");
        std::hint::black_box(map.get(key).map(|it| (*it).to_owned()));
    });
    let bare = Connection::open(&file).expect("it is there");
    let bare_disk = of_each(&keys, |key| {
        let mut statement = bare
            .prepare_cached("SELECT text FROM answers WHERE key = ?1")
            .expect("the table is there");
        let text: String = statement.query_row([key], |row| row.get(0)).expect("a row");
        std::hint::black_box(text);
    });
    println!("a hit of {} bytes, median over {count} keys", text.len());
    row("in memory", in_memory, "a map behind a lock", bare_memory);
    row("on the disk", on_disk, "a bare SELECT", bare_disk);
    // The files are ours and of no use to anybody.
    let _ = std::fs::remove_dir_all(&folder);
}

fn row(name: &str, ours: Duration, peer: &str, theirs: Duration) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!("{name:12} {ours:>10.2?}   {peer}: {theirs:.2?}   {ratio:.1} times");
}

fn of_each(keys: &[String], mut work: impl FnMut(&str)) -> Duration {
    let mut times: Vec<Duration> = keys
        .iter()
        .map(|key| {
            let began = Instant::now();
            work(key);
            began.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn what(key: &str) -> LookUp {
    LookUp {
        key: key.into(),
        at: Duration::from_secs(1),
        tier: Tier::Disk,
        around: Vec::new(),
    }
}

fn answer(key: &str, text: &str) -> KeptAnswer {
    KeptAnswer {
        key: key.into(),
        owner: "agent".into(),
        prompt: "ask".into(),
        model: "anthropic/one".into(),
        text: text.into(),
        tier: Tier::Disk,
        ttl: Duration::from_secs(3_600),
        at: Duration::ZERO,
    }
}
