//! What a program is made of before it means anything: its `gsw.toml`, and the files that its imports reach.
#![warn(clippy::wildcard_enum_match_arm)]

mod configuration;
mod errors;
mod loader;
mod unread;

pub use configuration::{
    CheckedConfiguration, Configuration, LintLevel, ModelDefaults, RunsDefaults,
    configuration_diagnostics, file_configuration, file_prices, meant_entry, missing_entry,
    project_configuration, resolved_model, with_levels,
};
pub use loader::{
    CONFIGURATION, add_files, find_configuration, follow_all_imports, follow_file, follow_imports,
    module_key, open_folder, open_project, read_project, remove_file,
};
