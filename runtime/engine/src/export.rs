//! The runtime calls that compiled code reaches through the table, by the names of their rows.

mod csv;
mod debug;
mod difference;
mod effect;
mod error;
mod files;
pub(crate) mod guard;
mod json;
mod list;
mod map;
mod media;
mod memory;
mod mock;
mod node;
mod number;
mod outside;
mod place;
mod queue;
mod regex;
mod scope;
mod session;
mod sort;
mod stream;
mod string;
mod task;
mod text;
mod time;
mod value;

pub use csv::{csv_format, csv_parse};
pub use debug::{debug_enter, debug_leave, debug_statement, debug_variable};
pub use effect::{
    env_get, random_float, random_int, secret_join, secret_named, sleep, time_now, uuid,
};
pub use error::{
    assertion_difference, assertion_failed, assertion_shown, check_failed, error_is_catchable,
    error_message, error_named, error_trace, fault, internal_fault, interrupted, poll,
};
pub use files::{
    fs_append, fs_exists, fs_glob, fs_list, fs_make_dir, fs_read, fs_read_bytes, fs_remove,
    fs_write, fs_write_bytes,
};
pub use json::{
    json_as, json_entries, json_field, json_get, json_hidden, json_index, json_items, json_new,
    json_parse, json_pretty, string_as,
};
pub use list::{
    list_at, list_chunks, list_concat, list_contains, list_enumerate, list_flatten, list_get,
    list_index, list_index_of, list_join, list_len, list_new, list_push, list_range, list_reverse,
    list_set, list_slice, list_sum, list_unique, list_windows, list_zip,
};
pub use map::{
    map_entries, map_get, map_has, map_index, map_insert, map_key_at, map_keys, map_len, map_merge,
    map_new, map_remove, map_take, map_value_at, map_values,
};
pub use media::{data_block, media_join, media_new, media_text, media_url};
pub use memory::{constant_keep, constant_kept, frame_free, frame_new, object_free, object_new};
pub use mock::{
    mock_agent, mock_arguments, mock_at, mock_called, mock_count, mock_given, mock_set, mock_turn,
    prompt_unmocked, snapshot, unmocked,
};
pub use node::{
    emit, log, node_abort, node_complete, node_enter, node_fail, node_join, node_was, state_append,
    state_begin, state_revised, state_set, trust_noted,
};
pub use number::{
    float_ceil, float_fixed, float_floor, float_math, float_pow, float_remainder, float_round,
    float_sqrt, float_to_int, int_pow, int_to_float,
};
pub use outside::{
    context_query, exec_run, external_ask, host_call, http_request, human_ask, human_timeout,
    mcp_call, mcp_look, plan_check, plan_run, prompt_detail, prompt_revised, prompt_run,
    prompt_stream, run_ask, skill_read, spawn_detached, spawn_request, spawn_requested, tool_begin,
    tool_keep, workflow_list, workflow_start,
};
pub use place::{
    place_element, place_entry, place_field, place_get, place_insert, place_length, place_set,
    place_take, place_whole, state_part_append, state_part_set, state_place,
};
pub use queue::{queue_close, queue_first_when_full, queue_new, queue_pop, queue_push};
pub use regex::{
    regex_captures, regex_check, regex_find, regex_find_all, regex_replace, regex_split,
    string_matches,
};
pub use scope::{
    budget_enter, budget_fail, budget_leave, defer_enter, defer_leave, reflect_wait, retry_wait,
    timeout_enter, timeout_fail, timeout_leave, undo_all, undo_register,
};
pub use session::{
    session_agent, session_enter, session_fill, session_fork, session_limit, session_messages,
    session_mocked, session_new, session_seed, session_shorten,
};
pub use sort::{list_sort, list_sort_by_keys, list_sort_by_keys_desc, list_sort_desc};
pub use stream::{stream_next, stream_open, stream_restarts, stream_start};
pub use string::{
    string_concat, string_contains, string_ends_with, string_equal, string_index_of, string_len,
    string_parse_float, string_parse_int, string_starts_with,
};
pub use task::{
    parallel_for, parallel_tuple, task_await, task_await_all, task_cancel, task_race, task_spawn,
};
pub use text::{
    bytes_text, string_bytes, string_chars, string_lines, string_lower, string_pad_end,
    string_pad_start, string_repeat, string_replace, string_slice, string_split, string_split_once,
    string_trim, string_upper, string_words,
};
pub use time::{duration_seconds, time_add, time_format, time_parse, time_subtract};
pub use value::{value_compare, value_equal, value_to_argument, value_to_json, value_to_string};

/// Makes the table: picks the call of this module that has each row's name.
macro_rules! table {
    ($($(#[$doc:meta])* $name:ident $kind:ident($($parameter:ident),*);)*) => {
        /// What compiled code finds the runtime calls in.
        pub static TABLE: gsw_abi::call::Table = gsw_abi::call::Table { $($name),* };
    };
}

gsw_abi::for_each_runtime_call!(table);
