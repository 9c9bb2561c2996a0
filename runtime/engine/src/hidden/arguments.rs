//! What is hidden in the arguments of a call.

use gsw_abi::builtin::JSON;
use gsw_notation::json::written;

use crate::codec;
use crate::heap::Heap;
use crate::hidden::Hidden;
use crate::value::json::{self, View};
use crate::value::{list, map, string};

impl Hidden {
    /// What is hidden in the arguments of a call, a `json` object, which is borrowed.
    pub(crate) fn in_arguments(heap: &Heap, word: u64) -> Self {
        let mut hidden = Self::default();
        let View::Object(arguments) = json::view(word) else {
            return hidden;
        };
        for (name, argument) in map::entries(arguments) {
            let (whole, shown) = (whole(heap, argument), shown(heap, argument));
            if whole == shown {
                continue;
            }
            // What differs between the two forms is what is hidden; nothing else has to know which fields are secret.
            match (written(&whole), written(&shown)) {
                (Ok(whole), Ok(shown)) => hidden.add_values(&whole, &shown),
                // Deeper than what is read.
                (Err(_), _) | (_, Err(_)) => hidden.hides_all = true,
            }
            hidden.add_objects(heap, argument);
            let bare = if let View::String(text) = json::view(argument) {
                string::text(text).to_owned()
            } else {
                whole
            };
            // As the block that follows the text of a prompt, however short it is.
            let block = |text: &str| {
                let name = string::text(name);
                format!("<{name}>\n{text}\n</{name}>")
            };
            let shown = shown.trim_matches('"');
            hidden.known.insert(block(&bare), block(shown));
        }
        hidden
    }

    /// The texts of all objects in a `json` of which a field is hidden: they hide also what is too short by itself.
    fn add_objects(&mut self, heap: &Heap, word: u64) {
        let mut waiting = vec![word];
        while let Some(word) = waiting.pop() {
            match json::view(word) {
                View::Object(fields) => {
                    let fields = map::entries(fields);
                    let inside: Vec<u64> = fields.map(|(_, it)| it).collect();
                    if inside.iter().any(|it| json::is_confidential(*it)) {
                        self.known.insert(whole(heap, word), shown(heap, word));
                    }
                    waiting.extend(inside);
                }
                View::List(items) => waiting.extend(list::words(items)),
                View::Null | View::Bool(_) | View::Int(_) | View::Float(_) | View::String(_) => {}
            }
        }
    }
}

fn whole(heap: &Heap, word: u64) -> String {
    codec::encode(heap, JSON, word)
}

fn shown(heap: &Heap, word: u64) -> String {
    codec::encode_redacted(heap, JSON, word)
}
