//! What a run has for models: the factory of prompt machines, prices, and the cache keys that it holds.

use std::sync::Arc;

use gsw_abi::provider::LEAST_CACHED;
use gsw_abi::types::{Type, TypeId, TypeTable};
use gsw_tree::usage::Usage;
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::budget::Charge;
use crate::media::{Media, MediaKind, MediaSource};
use crate::model::{Content, ModelRequest, Prompts};
use crate::node::{NodeId, Tree};
use crate::prices::Prices;
use crate::run::{MocksInTests, PromptsInTests, RunSettings};

/// The most tokens that providers count for an image; a guess.
const IMAGE_TOKENS: u64 = 5_000;

pub(crate) struct ModelAccess {
    /// Makes the machines of prompt calls; without it every prompt fails.
    prompts: Option<Arc<dyn Prompts>>,
    /// The model that replaces every agent's.
    model_override: Option<String>,
    prices: Arc<Prices>,
    /// The keys that prompt calls hold which others may wait for, by their nodes.
    held_keys: FxHashMap<NodeId, String>,
    prompts_in_tests: PromptsInTests,
    /// Of the types that prompts have answered with, so that calls that wait share one.
    schemas: FxHashMap<TypeId, Arc<Value>>,
}

impl std::fmt::Debug for ModelAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelAccess").finish_non_exhaustive()
    }
}

impl ModelAccess {
    pub(crate) fn new(prompts: Option<Arc<dyn Prompts>>, settings: RunSettings) -> Self {
        let RunSettings {
            model_override,
            prices,
            // The heap has it.
            memory_limit: _,
            prompts_in_tests,
            // A mock of the others has it.
            mocks_in_tests: _,
        } = settings;
        Self {
            prompts,
            model_override,
            prices,
            held_keys: FxHashMap::default(),
            prompts_in_tests,
            schemas: FxHashMap::default(),
        }
    }

    /// What a run that is part of this one is begun with.
    pub(crate) fn settings(&self) -> RunSettings {
        RunSettings {
            model_override: self.model_override.clone(),
            prices: Arc::clone(&self.prices),
            memory_limit: None,
            prompts_in_tests: self.prompts_in_tests,
            mocks_in_tests: MocksInTests::Inside,
        }
    }

    pub(crate) fn prompts(&self) -> Option<Arc<dyn Prompts>> {
        self.prompts.clone()
    }

    pub(crate) fn model_override(&self) -> Option<&str> {
        self.model_override.as_deref()
    }

    /// Whether a test may ask a model where nothing mocks the prompt.
    pub(crate) fn reaches_models(&self) -> bool {
        self.prompts_in_tests == PromptsInTests::Asked
    }

    pub(crate) fn prices(&self) -> &Arc<Prices> {
        &self.prices
    }

    /// The schema that answers must fit; a plain `string` has none.
    pub(crate) fn schema(&mut self, types: &TypeTable, answer: TypeId) -> Option<Arc<Value>> {
        if matches!(types.get(answer), Type::String) {
            return None;
        }
        let made = || Arc::new(gsw_abi::schema::schema(types, answer));
        Some(Arc::clone(self.schemas.entry(answer).or_insert_with(made)))
    }

    /// What a request with this usage costs.
    pub(crate) fn charge_of(&self, model: &str, usage: Usage) -> Charge {
        let usd = self.prices.cost(model, &usage);
        Charge {
            usd: usd.ok_or_else(|| model.to_owned()),
            tokens: usage.input_tokens.saturating_add(usage.output_tokens),
            calls: 1,
        }
    }

    /// The most that a request may cost: itself at four bytes a token, and as much answer and thinking as it allows.
    pub(crate) fn worst_case(&self, request: &ModelRequest) -> Charge {
        let mut bytes = Length(0);
        // Counting cannot fail, and a request has only text keys.
        let _ = serde_json::to_writer(&mut bytes, request);
        let pieces = request.messages.iter().flat_map(|it| &it.content);
        let images: Vec<usize> = pieces.flat_map(media).filter_map(image_size).collect();
        // An image is megabytes of base64 and some thousand tokens; counted as text it would exhaust every budget.
        let text = bytes.0.saturating_sub(images.iter().sum());
        let input_tokens = text as u64 / 4 + IMAGE_TOKENS * images.len() as u64;
        let usage = Usage {
            input_tokens,
            // What is written to the provider's cache costs more; whether it is, only the provider decides.
            cache_write_tokens: if text < LEAST_CACHED { 0 } else { input_tokens },
            output_tokens: u64::from(request.max_tokens) + u64::from(request.thinking.unwrap_or(0)),
            ..Usage::default()
        };
        self.charge_of(&request.model, usage)
    }

    /// The prompt call of this node found no answer under the key: it asks, and others with the key wait for it.
    pub(crate) fn hold_key(&mut self, node: NodeId, key: String) {
        self.held_keys.insert(node, key);
    }

    /// The prompt call of this node holds no key any more; returns the one that it held.
    pub(crate) fn release_key(&mut self, node: NodeId) -> Option<String> {
        self.held_keys.remove(&node)
    }

    /// The keys held by the calls around a node, innermost first.
    pub(crate) fn keys_around(&self, tree: &Tree, node: NodeId) -> Vec<String> {
        if self.held_keys.is_empty() {
            return Vec::new();
        }
        let around = tree.lineage(node);
        around
            .filter_map(|it| self.held_keys.get(&it).cloned())
            .collect()
    }
}

/// The images and documents of a piece.
fn media(content: &Content) -> &[Media] {
    match content {
        Content::Media { media } => std::slice::from_ref(media),
        Content::ToolResult { media, .. } => media,
        Content::Text { .. } | Content::ToolUse { .. } | Content::Opaque { .. } => &[],
    }
}

/// How many bytes of a request an image's content takes up, which say nothing about its tokens.
fn image_size(media: &Media) -> Option<usize> {
    match (media.kind, &media.source) {
        (MediaKind::Image, MediaSource::Inline { data, .. }) => Some(data.len()),
        (MediaKind::Image, MediaSource::Url { .. }) => Some(0),
        (MediaKind::Document, MediaSource::Inline { .. } | MediaSource::Url { .. }) => None,
    }
}

struct Length(usize);

impl std::io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
