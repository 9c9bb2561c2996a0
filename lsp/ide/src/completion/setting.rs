//! Settings of agents, prompts and calls, and their values.

use gsw_abi::permission::Permission;
use gsw_abi::provider::Provider;
use gsw_abi::setting::{BUDGET_PARTS, CACHE_PARTS, Form, Origin, Reader, Setting};
use gsw_source::ItemKind;

use super::Cursor;
use super::item::{Completion, CompletionKind, Insert};
use super::name::of_kind;
use super::owner::SettingOwner;
use super::word;

/// The names that settings of `owner` can have.
pub fn names(owner: SettingOwner) -> Vec<Completion> {
    let plain =
        |it: &&str| Completion::new(*it, CompletionKind::Setting, 1).insert(format!("{it}: "));
    let parts = |them: &[(&str, Form)]| them.iter().map(|(it, _)| plain(it)).collect();
    match owner {
        SettingOwner::Cache => parts(CACHE_PARTS),
        SettingOwner::Budget => parts(BUDGET_PARTS),
        SettingOwner::Permissions => Permission::names().iter().map(plain).collect(),
        SettingOwner::Agent => settings(Origin::Program),
        SettingOwner::Call => settings(Origin::Call),
        SettingOwner::Prompt => {
            let mut found = settings(Origin::Program);
            found.extend(word::prompt_texts());
            found.extend(word::statements());
            found.extend(word::choices());
            found
        }
        SettingOwner::Human => {
            let mut found = vec![plain(&Setting::Timeout.name())];
            found.extend(word::prompt_texts());
            found
        }
    }
}

/// The settings that may be written at `origin` and that something reads.
fn settings(origin: Origin) -> Vec<Completion> {
    let all = Setting::ALL.iter();
    all.filter(|it| it.origin() <= origin && it.reader() != Reader::Nobody)
        .map(|it| {
            let name = it.name();
            let completion = Completion::new(name, CompletionKind::Setting, 1);
            match it.form() {
                Form::Text | Form::Model => completion.snippet(format!("{name}: \"$0\"")),
                Form::Texts | Form::Tools | Form::Names(_) => {
                    completion.snippet(format!("{name}: [$0]"))
                }
                Form::Budget | Form::Environment => completion.snippet(format!("{name}: {{ $0 }}")),
                Form::Count { .. }
                | Form::Number
                | Form::Duration
                | Form::Cache
                | Form::Answer
                | Form::Session => completion.insert(format!("{name}: ")),
            }
        })
        .collect()
}

/// Whether a setting has any value of its type, and none of a list.
pub fn takes_expression(setting: Option<Setting>) -> bool {
    match setting.map(Setting::form) {
        Some(Form::Model | Form::Cache | Form::Answer | Form::Tools | Form::Names(_)) => false,
        Some(
            Form::Text
            | Form::Texts
            | Form::Count { .. }
            | Form::Number
            | Form::Duration
            | Form::Budget
            | Form::Environment
            | Form::Session,
        )
        | None => true,
    }
}

/// The values that a setting can have, outside of strings; `None` for an unknown setting.
pub fn values(cursor: &Cursor<'_>, setting: Option<Setting>) -> Vec<Completion> {
    let listed = |kinds: &[ItemKind]| -> Vec<Completion> {
        let found = kinds.iter().flat_map(|it| of_kind(cursor, *it, 1));
        found.collect()
    };
    let word = |it: &str| Completion::new(it, CompletionKind::Keyword, 0);
    match setting.map(Setting::form) {
        Some(Form::Model) => {
            let mut found = texts(cursor, setting);
            for it in &mut found {
                it.insert = Insert::Plain(format!("\"{}\"", it.label));
            }
            let first_of = Completion::new("first_of", CompletionKind::Keyword, 2);
            found.push(first_of.snippet("first_of(\"$0\")"));
            found
        }
        Some(Form::Cache) => ["true", "false"].map(word).into(),
        Some(Form::Answer) => texts(cursor, setting)
            .into_iter()
            .map(|it| {
                let text = format!("\"{}\"", it.label);
                it.insert(text)
            })
            .collect(),
        Some(Form::Tools) => listed(&gsw_infer::LISTED_AS_TOOLS),
        Some(Form::Names(of)) => listed(&[gsw_infer::listed_kind(of)]),
        Some(
            Form::Text
            | Form::Texts
            | Form::Count { .. }
            | Form::Number
            | Form::Duration
            | Form::Budget
            | Form::Environment
            | Form::Session,
        )
        | None => of_kind(cursor, ItemKind::Const, 1),
    }
}

/// What the string of a setting, whose text begins at byte `start`, can hold: all of it is replaced.
pub fn in_text(cursor: &Cursor<'_>, setting: Option<Setting>, start: u32) -> Vec<Completion> {
    let mut found = texts(cursor, setting);
    for it in &mut found {
        it.replace = gsw_source::Span::new(start.min(cursor.offset), cursor.offset);
    }
    found
}

/// What the string of a setting can hold.
fn texts(cursor: &Cursor<'_>, setting: Option<Setting>) -> Vec<Completion> {
    let text = |it: &str| Completion::new(it, CompletionKind::Text, 0);
    match setting.map(Setting::form) {
        Some(Form::Model) => {
            let mut found: Vec<Completion> = Provider::ALL
                .iter()
                .map(|it| text(&format!("{}/", it.name())).detail("a provider"))
                .collect();
            let models = cursor.models.iter();
            found.extend(models.map(|it| {
                let model = Completion::new(it.name.as_str(), CompletionKind::Text, 1);
                model.detail(it.detail.as_str())
            }));
            if let Some(configuration) = gsw_project::project_configuration(cursor.db) {
                let aliases = configuration.models.aliases.iter();
                found.extend(aliases.map(|(it, _)| text(it).detail("of `gsw.toml`")));
            }
            found
        }
        Some(Form::Answer) => gsw_abi::setting::AnswerForm::ALL
            .map(|it| text(it.name()))
            .into(),
        Some(
            Form::Text
            | Form::Texts
            | Form::Count { .. }
            | Form::Number
            | Form::Duration
            | Form::Cache
            | Form::Budget
            | Form::Tools
            | Form::Names(_)
            | Form::Environment
            | Form::Session,
        )
        | None => Vec::new(),
    }
}
