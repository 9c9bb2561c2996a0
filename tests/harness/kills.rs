//! Real `kill -9` at random moments of a program of steps, prompts, keyed and unkeyed tools, questions and undos: every run ends
//! right.
//!
//! `GSW_KILLS` is how many processes are killed.

use std::collections::HashMap;

use fake_provider::{Body, Message, Reply, Script};

use crate::determinism::number;
use crate::killed::{Kept, Lives};
use crate::program::Said;
use crate::wire::with_provider;

/// How many processes a plain `cargo test` kills.
const KILLS: u64 = 30;
/// How many rounds a run makes.
const COUNT: usize = 10;
/// The longest life, in milliseconds: about as long as a run takes.
const LONGEST: u64 = 400;

const SOURCE: &str = r#"
import std/fs
permissions { fs.write: ["."] }
agent clerk { model: "anthropic/claude-sonnet-5-5" cache: false max_tokens: 100 }
prompt name_it(n: int, round: int) -> string by clerk { user "Name number ${n} of ${round}." }
tool pay(n: int, round: int) -> string once {
  fs.append("paid-${round}.log", "paid ${n}\n")
  "receipt ${n}"
}
tool refund(n: int, round: int) -> string once {
  fs.append("refunded-${round}.log", "refunded ${n}\n")
  "refunded ${n}"
}
tool book(n: int, round: int) -> string idempotent by "${n}" {
  fs.write("booked-${round}-${n}.txt", "booked")
  "booked ${n}"
}
human approve(n: int) -> bool { user "Pay for ${n}?" }

workflow buy(n: int, round: int) -> string {
  let receipt = pay(n, round)
  undo { let _ = refund(n, round) }
  let name = name_it(n, round)
  if n % 3 == 0 { fail Failed("${name} is sold out") }
  receipt
}

workflow main(count: int, round: int) -> [string] {
  var said: [string] = []
  for n in 0..count {
    step "buy ${n}" {
      if approve(n) {
        said += [buy(n, round) catch {
          OutcomeUnknown(_) => "unknown ${n}"
          Failed(_) => "taken back ${n}"
        }]
      }
    }
    let _ = book(n, round)
  }
  said
}
"#;

/// How often each number is in a file.
fn times(text: &str) -> HashMap<usize, usize> {
    let mut times = HashMap::new();
    for line in text.lines() {
        let number = line.split(' ').next_back().and_then(|it| it.parse().ok());
        *times.entry(number.expect("each line has one")).or_default() += 1;
    }
    times
}

#[test]
fn every_run_of_killed_processes_ends_right() {
    let kept = Kept::new("kills", SOURCE);
    let reply = Reply::of(Body::Anthropic(Message::of_text("some name")));
    let wanted = number("GSW_KILLS", KILLS);
    let (mut kills, mut rounds, mut unknown) = (0, 0, 0);
    let (_, asked) = with_provider(Script::always(reply), |url| {
        let mut random = 0x9E37_79B9_7F4A_7C15_u64 ^ number("GSW_SEED", 1);
        while kills < wanted {
            let (count, round) = (COUNT.to_string(), rounds.to_string());
            let words = ["--resume", "--count", &count, "--round", &round];
            let lives = Lives {
                most: wanted - kills,
                milliseconds: 10..10 + LONGEST,
            };
            let (said, died) = kept.killed(url, &words, COUNT, &lives, &mut random);
            kills += died;
            unknown += ended_right(&kept, rounds, &said);
            rounds += 1;
        }
    });
    println!(
        "{kills} kills, {rounds} runs, {unknown} outcomes unknown, {} requests",
        asked.len()
    );
    // A request that a kill cut off is made again, and no other.
    let needed = rounds as usize * COUNT;
    assert!(
        asked.len() <= needed + kills as usize,
        "{} requests for {needed} names and {kills} kills",
        asked.len()
    );
}

/// Gives how many outcomes are not known.
fn ended_right(kept: &Kept, round: u64, said: &Said) -> u64 {
    assert_eq!(said.code, Some(0), "round {round}: {said:?}");
    let results: Vec<String> = serde_json::from_str(&said.out).expect("a list");
    assert_eq!(results.len(), COUNT, "round {round}: {said:?}");
    let paid = times(&kept.read(&format!("paid-{round}.log")));
    let refunded = times(&kept.read(&format!("refunded-{round}.log")));
    let of = |times: &HashMap<usize, usize>, n| times.get(&n).copied().unwrap_or(0);
    let mut unknown = 0;
    for (n, result) in results.iter().enumerate() {
        let (paid, refunded) = (of(&paid, n), of(&refunded, n));
        let is_right = if *result == format!("receipt {n}") {
            (paid, refunded) == (1, 0)
        } else if *result == format!("taken back {n}") {
            // What may have been taken back is in the error, which the program has caught.
            paid == 1 && refunded <= 1
        } else {
            unknown += 1;
            *result == format!("unknown {n}") && paid <= 1 && refunded == 0
        };
        assert!(
            is_right,
            "round {round}, {n}: {result}: paid {paid}, refunded {refunded}"
        );
        assert_eq!(kept.read(&format!("booked-{round}-{n}.txt")), "booked");
    }
    unknown
}
