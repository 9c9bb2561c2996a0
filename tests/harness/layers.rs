//! The layers of a crate: groups of modules of which each knows only itself and those before it, where crates of their own would
//! cost more than they give.

use std::collections::BTreeSet;

use crate::cycles::{Module, needs};
use crate::program::root;

/// A crate whose modules are grouped.
struct LayeredCrate {
    folder: &'static str,
    /// From the bottom up; what is in none of them may know all.
    layers: &'static [Layer],
}

struct Layer {
    name: &'static str,
    /// The outermost modules in it.
    modules: &'static [&'static str],
}

const LAYERED: &[LayeredCrate] = &[LayeredCrate {
    folder: "runtime/engine",
    layers: &[
        Layer {
            name: "memory",
            modules: &[
                "codec", "compare", "front", "heap", "hidden", "load", "media", "secret", "value",
            ],
        },
        Layer {
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

impl LayeredCrate {
    /// The number of the layer that a module is in; the one above all for what is in none.
    fn layer_of(&self, module: &Module) -> usize {
        let is_in = |layer: &Layer| layer.modules.contains(&module[0].as_str());
        self.layers
            .iter()
            .position(is_in)
            .unwrap_or(self.layers.len())
    }
}

#[test]
fn layers_know_only_what_is_below_them() {
    let mut wrong = Vec::new();
    for layered in LAYERED {
        for (module, needed) in needs(&root().join(layered.folder)) {
            let layer = layered.layer_of(&module);
            for other in needed.iter().filter(|it| layered.layer_of(it) > layer) {
                wrong.push(format!(
                    "{}: `{}` of the layer `{}` may not know `{}`",
                    layered.folder,
                    module.join("::"),
                    layered.layers[layer].name,
                    other.join("::")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_of_a_layer_exists() {
    for layered in LAYERED {
        let modules = needs(&root().join(layered.folder));
        let outermost: BTreeSet<_> = modules.keys().map(|it| it[0].as_str()).collect();
        for module in layered.layers.iter().flat_map(|it| it.modules) {
            assert!(outermost.contains(module), "{}: {module}", layered.folder);
        }
    }
}
