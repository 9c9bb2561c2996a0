//! The rooms of a crate: groups of modules of which each knows only itself and those before it, where crates of their own would
//! cost more than they give.

use std::collections::BTreeSet;

use crate::cycles::{Module, needs};
use crate::program::root;

/// A crate whose modules are grouped.
struct House {
    folder: &'static str,
    /// From the bottom up; what is in none of them may know all.
    rooms: &'static [Room],
}

struct Room {
    name: &'static str,
    /// The outermost modules in it.
    modules: &'static [&'static str],
}

const HOUSES: &[House] = &[House {
    folder: "runtime/engine",
    rooms: &[
        Room {
            name: "memory",
            modules: &[
                "codec", "compare", "front", "heap", "load", "media", "secret", "value",
            ],
        },
        Room {
            name: "requests",
            modules: &[
                "answers",
                "conversation",
                "data_block",
                "exchange",
                "external",
                "human",
                "model",
                "operation",
                "panic",
                "port",
                "prices",
                "step",
            ],
        },
    ],
}];

impl House {
    /// The number of the room that a module is in; the one above all for what is in none.
    fn room_of(&self, module: &Module) -> usize {
        let is_in = |room: &Room| room.modules.contains(&module[0].as_str());
        self.rooms
            .iter()
            .position(is_in)
            .unwrap_or(self.rooms.len())
    }
}

#[test]
fn rooms_know_only_what_is_below_them() {
    let mut wrong = Vec::new();
    for house in HOUSES {
        for (module, needed) in needs(&root().join(house.folder)) {
            let room = house.room_of(&module);
            for other in needed.iter().filter(|it| house.room_of(it) > room) {
                wrong.push(format!(
                    "{}: `{}` of the room `{}` may not know `{}`",
                    house.folder,
                    module.join("::"),
                    house.rooms[room].name,
                    other.join("::")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_of_a_room_exists() {
    for house in HOUSES {
        let modules = needs(&root().join(house.folder));
        let outermost: BTreeSet<_> = modules.keys().map(|it| it[0].as_str()).collect();
        for module in house.rooms.iter().flat_map(|it| it.modules) {
            assert!(outermost.contains(module), "{}: {module}", house.folder);
        }
    }
}
