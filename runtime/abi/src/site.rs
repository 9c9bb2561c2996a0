//! Where in a run something is asked for: the same place in every life of the run, and in every build of the program that
//! keeps its names.
//!
//! A node's path is a digest over its parent's path, its kind, its name and how many of that name came before it. So a place
//! costs 16 bytes however deep it is, and no two places of a run have the same one: the digest is SHA-256, because names come
//! from outside and keys that must not collide are made of these.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::call::NodeKind;

/// The path of a node, as two words, so that it is anywhere a word does.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize,
)]
pub struct NodePath(u64, u64);

/// A place that asks for something: a node, and how many things it has asked for before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Site {
    pub path: NodePath,
    /// How many sites of this path came before, 0 for the first.
    pub occurrence: u32,
}

impl NodePath {
    pub const ROOT: Self = Self(0, 0);

    /// The path of a child.
    #[must_use]
    pub fn child(self, kind: NodeKind, name: &str, index: u32) -> Self {
        let mut digest = Sha256::new();
        self.enter(&mut digest);
        digest.update(kind.name());
        digest.update([0]);
        digest.update(index.to_le_bytes());
        digest.update(name);
        let [high, low] = front(&digest.finalize());
        Self(high, low)
    }

    fn enter(self, digest: &mut Sha256) {
        digest.update(self.0.to_be_bytes());
        digest.update(self.1.to_be_bytes());
    }
}

impl Site {
    /// By which the outside sees that two requests are one, although they come from different lives of the run: 32 hex digits.
    #[must_use]
    pub fn key(self, run: &str) -> String {
        let mut digest = Sha256::new();
        self.path.enter(&mut digest);
        digest.update(self.occurrence.to_le_bytes());
        digest.update(run);
        let [high, low] = front(&digest.finalize());
        format!("{high:016x}{low:016x}")
    }

    /// The id of the run that is started here.
    #[must_use]
    pub fn child_run(self, run: &str) -> String {
        self.key(&format!("{run}/run"))
    }
}

/// The first two words of a digest of four.
fn front(digest: &[u8]) -> [u64; 2] {
    let word = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&digest[at..at + 8]);
        u64::from_be_bytes(bytes)
    };
    [word(0), word(8)]
}

#[cfg(test)]
mod tests {
    use super::{NodePath, Site};
    use crate::call::NodeKind;

    #[test]
    fn places_differ_by_every_part() {
        let of = |kind, name, index| NodePath::ROOT.child(kind, name, index);
        let step = of(NodeKind::Step, "a", 0);
        let others = [
            of(NodeKind::Task, "a", 0),
            of(NodeKind::Step, "b", 0),
            of(NodeKind::Step, "a", 1),
            step.child(NodeKind::Step, "a", 0),
        ];
        assert!(others.iter().all(|it| *it != step));
        assert_eq!(step, of(NodeKind::Step, "a", 0));
    }

    #[test]
    fn keys_belong_to_one_run() {
        let site = Site {
            path: NodePath::ROOT,
            occurrence: 1,
        };
        assert_eq!(site.key("r").len(), 32);
        assert_ne!(site.key("r"), site.key("s"));
        assert_ne!(site.key("r"), site.child_run("r"));
    }
}
