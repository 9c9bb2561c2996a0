//! THE table of runtime calls: the only way from compiled code into the runtime.
//!
//! A row reads `name kind(parameters);`. Every parameter is a word (floats as bits). Before them goes the context, and
//! for `waiting` calls also the frame that waits.
//!
//! Kinds: `plain` returns a word and cannot fail: what the memory does not hold is left away, and the flag of loops is
//! set · `raising` returns an [`Outcome`] · `waiting` returns a [`crate::layout::status`]; on `DONE` and `RAISED` the
//! frame's `value` or `error` is set, on `WAITING` the runtime will set one of them and resume the frame.
//!
//! Parameters: `word` no ownership · `borrow` the caller keeps it · `own` the callee takes it over, also when it
//! raises · `result` the [`crate::types::TypeId`] of the result · `ty` the `TypeId` of the next generic argument of the
//! `@intrinsic` declaration, in order. Results are owned by the caller. A borrowed or owned word whose type is held
//! inline is just a word.
//!
//! A library function declared `@intrinsic("name")` is the row of that name: its arguments fill `word`, `borrow`, `own` in order.

mod asked;
mod choice;
mod limit;
mod parameter;
mod place;

use crate::layout::{Context, Frame, Outcome};

pub use asked::{AskedOfRun, AskedOfServer, SaidOfClient, SaidOfServer};
pub use choice::{AnswerPurpose, ErrorPolicy, NodeKind, QueuePurpose, RacePolicy};
pub use limit::{NO_DOLLARS, NO_LIMIT};
pub use parameter::{CallKind, Parameter};

/// Passes all rows to the macro `$then`.
#[macro_export]
macro_rules! for_each_runtime_call {
    ($then:path) => {
        $then! {
            // Memory. Compiled code counts by itself and calls these when it must.
            // A fresh object of `words` words after the header, not yet written: type, extra, words.
            object_new plain(word, word, word);
            // Frees an object whose last owner is gone.
            object_free plain(word);
            // A fresh frame of a function, with no parent and its slots not yet written.
            frame_new plain(word);
            // Frees a frame that has ended; its slots own nothing any more.
            frame_free plain(word);
            // The value of a constant that this run has made already, by the function that makes it; 0 when it has not.
            constant_kept plain(word);
            // Keeps the value of a constant until the run ends.
            constant_keep plain(word, borrow);
            // Errors: a fault without fields, by the index of its `BuiltinError`.
            fault plain(word);
            // What a loop or call that found the stop flag set must raise; 0 when it continues.
            interrupted plain();
            // Appends a span (index into the program's spans) to an error's trace.
            error_trace plain(borrow, word);
            // Whether `catch` may look at this error: 0 for the unwinding of a cancellation.
            error_is_catchable plain(borrow);
            // `e.message()`, and the same after the name that a pattern is written with.
            error_message plain(borrow);
            error_named plain(borrow);
            // `AssertionFailed` with this message.
            assertion_failed plain(own);
            // `AssertionFailed` for a `where` that a value breaks: its type and the value, the type of the record around it and that
            // record where the check looks at it (else `UNIT` and 0), and what the message says before the value.
            check_failed plain(ty, borrow, ty, borrow, borrow);
            // A value as a failed `assert` shows it, cut when it is long.
            assertion_shown plain(ty, borrow);
            // Where two values that should be equal differ, a line each.
            assertion_difference plain(ty, borrow, borrow);
            // A fault `Internal` with this message.
            internal_fault plain(own);
            // Raises when the run is to stop or its memory is used up: after the body of a `catch`.
            poll raising();
            // Any value; `ty` is its type.
            // `==`
            value_equal plain(ty, borrow, borrow);
            // -1, 0 or 1 as an `i64`.
            value_compare plain(ty, borrow, borrow);
            // `x.to_string()`, the text of `${x}`.
            value_to_string plain(ty, borrow);
            // `x.to_json()` as a `json`; without the fields that are `none` by default it is an argument of a tool that a server has.
            value_to_json plain(ty, borrow); value_to_argument plain(ty, borrow);
            // The fields of a variant's or record's JSON are checked on the way: `j as T`.
            json_as raising(result, borrow);
            // A string as a literal union: `s as "a" | "b"`.
            string_as raising(result, own);
            // For a debugger: a function (index, place) and a statement (place) begin, a name is in scope (type, name, value), a function ends.
            debug_enter plain(word, word); debug_statement plain(word); debug_variable plain(ty, borrow, borrow); debug_leave plain();
            // Lists.
            // An empty list with room for n elements.
            list_new plain(result, word);
            // `xs.len()`
            list_len plain(borrow);
            // A list with one more element; in place when `xs` has no other owner.
            list_push plain(own, own);
            // `xs[i]`, or `OutOfRange`.
            list_index raising(borrow, word);
            // Element i; it is in range.
            list_at plain(borrow, word);
            // `xs.get(i)`
            list_get plain(result, borrow, word);
            // `xs + ys`
            list_concat plain(own, borrow);
            // `xs.slice(from, to)`, clamped; in place when `xs` has no other owner.
            list_slice raising(own, word, word);
            // `xs.reverse()`
            list_reverse raising(own);
            // `xs.sort()`, stable, ascending.
            list_sort raising(own);
            // `xs.sort_desc()`, stable.
            list_sort_desc raising(own);
            // `xs` in the stable order of `keys`, a list of the same length.
            list_sort_by_keys raising(own, own);
            // Like the call before, descending.
            list_sort_by_keys_desc raising(own, own);
            // `x in xs`
            list_contains plain(borrow, borrow);
            // `xs.index_of(x)`
            list_index_of plain(borrow, borrow);
            // `xs.unique()`
            list_unique raising(own);
            // `xs.zip(ys)`
            list_zip raising(result, borrow, borrow);
            // `xs.enumerate()`
            list_enumerate raising(result, borrow);
            // `xs.chunks(n)`, or `AssertionFailed` for n below 1.
            list_chunks raising(result, borrow, word);
            // `xs.windows(n)`, or `AssertionFailed` for n below 1.
            list_windows raising(result, borrow, word);
            // `xs.flatten()`
            list_flatten raising(result, borrow);
            // `xs.join(sep)` of strings.
            list_join raising(borrow, borrow);
            // `xs.sum()` of ints, floats or durations, or `Overflow`.
            list_sum raising(borrow);
            // The ints `from..to` as a list, or `from..=to` where the third is 1.
            list_range raising(word, word, word);
            // `xs` with element i replaced, or `OutOfRange`.
            list_set raising(own, word, own);

            // Maps.
            // `{}`
            map_new plain(result);
            // `m.len()`
            map_len plain(borrow);
            // `m.insert(k, v)`
            map_insert plain(own, own, own);
            // `m.get(k)`
            map_get plain(result, borrow, borrow);
            // The value under a key, replaced by a default when the map has no other owner; of an absent key the default.
            map_take plain(borrow, borrow, own);
            // `m[k]`, or `OutOfRange`.
            map_index raising(borrow, borrow);
            // `k in m`
            map_has plain(borrow, borrow);
            // `m.remove(k)`
            map_remove plain(own, borrow);
            // `m.keys()`
            map_keys raising(result, borrow);
            // `m.values()`
            map_values raising(result, borrow);
            // `m.entries()`
            map_entries raising(result, borrow);
            // `m.merge(other)`
            map_merge raising(own, borrow);
            // The key of entry i, in order of insertion; i is in range.
            map_key_at plain(borrow, word);
            // The value of entry i; i is in range.
            map_value_at plain(borrow, word);

            // Places: the parts of the value in a cell, as the addresses of the words that hold them. A place is valid until the
            // value is changed elsewhere; its user keeps the cell. What a place is in has no other owner.
            /// The place of the whole value.
            place_whole plain(borrow);
            /// A field of the record or tuple at a place.
            place_field raising(word, word);
            /// Element i of the list at a place, or `OutOfRange`.
            place_element raising(word, word);
            /// What is under a key in the map at a place, or `OutOfRange`.
            place_entry raising(word, borrow);
            /// Puts a value under a key into the map at a place in this cell, and gives the place of the value.
            place_insert raising(borrow, word, own, own);
            /// The value at a place.
            place_get plain(ty, word);
            /// Like `place_get`, but leaves 0 in the place; a `place_set` follows with no wait or raise between.
            place_take plain(word);
            /// Replaces the value at a place in this cell, releasing the old one.
            place_set plain(borrow, ty, word, own);
            /// How many elements or bytes the list or string at a place has.
            place_length plain(ty, word);

            // Strings.
            // `s.len()`
            string_len plain(borrow);
            // `a + b`
            string_concat plain(own, borrow);
            // `a == b`
            string_equal plain(borrow, borrow);
            // `sub in s`, `s.contains(sub)`: haystack, needle.
            string_contains plain(borrow, borrow);
            // `s.starts_with(p)`
            string_starts_with plain(borrow, borrow);
            // `s.ends_with(p)`
            string_ends_with plain(borrow, borrow);
            // `s.trim()`
            string_trim plain(borrow);
            // `s.split(sep)`
            string_split raising(borrow, borrow);
            // `s.split_once(sep)`
            string_split_once plain(result, borrow, borrow);
            // `s.lines()`
            string_lines raising(borrow);
            // `s.words()`
            string_words raising(borrow);
            // `s.chars()`
            string_chars raising(borrow);
            // `s.upper()`
            string_upper raising(borrow);
            // `s.lower()`
            string_lower raising(borrow);
            // `s.replace(a, b)`
            string_replace raising(borrow, borrow, borrow);
            // `s.slice(from, to)`, clamped, in scalar values.
            string_slice plain(borrow, word, word);
            // `s.repeat(n)`
            string_repeat raising(borrow, word);
            // `s.pad_start(n, c)`
            string_pad_start raising(borrow, word, borrow);
            // `s.pad_end(n, c)`
            string_pad_end raising(borrow, word, borrow);
            // `s.index_of(sub)`
            string_index_of plain(borrow, borrow);
            // `s.matches(r"…")`
            string_matches raising(borrow, borrow);
            // `s.parse_int()`
            string_parse_int plain(borrow);
            // `s.parse_float()`
            string_parse_float plain(result, borrow);

            // `b.text()` of bytes.
            bytes_text raising(borrow);
            // `s.bytes()`
            string_bytes raising(borrow);

            // Regular expressions and CSV.
            // `regex.new(pattern)`: `Failed` for what is no pattern.
            regex_check raising(borrow);
            // `r.find(s)`: pattern, text.
            regex_find raising(borrow, borrow);
            // `r.find_all(s)`: pattern, text.
            regex_find_all raising(borrow, borrow);
            // `r.captures(s)`: pattern, text.
            regex_captures raising(borrow, borrow);
            // `r.replace(s, t)`: pattern, text, replacement.
            regex_replace raising(borrow, borrow, borrow);
            // `r.split(s)`: pattern, text.
            regex_split raising(borrow, borrow);
            // `csv.parse(text)`
            csv_parse raising(result, borrow);
            // `csv.format(rows)`
            csv_format raising(borrow);

            // Numbers; `Overflow` where the result leaves 64 bits.
            // `a.pow(b)` of ints; `AssertionFailed` for a negative exponent.
            int_pow raising(word, word);
            // `n.to_float()`
            int_to_float plain(word);
            // `x.to_int()`
            float_to_int raising(word);
            // `a % b` of floats.
            float_remainder plain(word, word);
            // `a.pow(b)` of floats.
            float_pow plain(word, word);
            // `x.round()`, `x.floor()`, `x.ceil()`, `x.sqrt()`
            float_round plain(word);
            float_floor plain(word);
            float_ceil plain(word);
            float_sqrt plain(word);
            // `x.fixed(digits)`
            float_fixed plain(word, word);
            // A function of `math` by name: `sin`, `cos`, `ln`, `exp` and so on.
            float_math plain(borrow, word);

            // Time.
            // `d.seconds()`
            duration_seconds plain(word);
            // `t + d`, and `t - d` or `t - other`; or `OutOfRange`.
            time_add raising(word, word);
            time_subtract raising(word, word);
            // `t.format(pattern, zone)`
            time_format raising(word, borrow, borrow);
            // `time.parse(text, pattern, zone)`; RFC 3339 without a pattern.
            time_parse raising(borrow, borrow, borrow);
            // `now()`
            time_now waiting();
            // `sleep(d)`
            sleep waiting(word);
            // `random()`
            random_float waiting();
            // `random.int(a, b)`, both included.
            random_int waiting(word, word);
            // `uuid()`
            uuid waiting();

            // JSON.
            // `json.parse(text)`
            json_parse raising(borrow);
            // `json.pretty(v)`
            json_pretty raising(borrow);
            // `j.name`: `DecodeError` when absent.
            json_field raising(borrow, borrow);
            // `j[i]`: `DecodeError` when absent.
            json_index raising(borrow, word);
            // `j.get("k")`
            json_get plain(borrow, borrow);
            // `j.items()`
            json_items raising(borrow);
            // `j.entries()`
            json_entries raising(result, borrow);
            // A `json` of a known tag from a payload: tag, payload. 0 payload for null.
            json_new plain(word, own);
            // A copy of the `json` that observers do not see: an argument for an `@secret` parameter.
            json_hidden plain(own);

            // Files, secrets, environment.
            // `fs.read(path)`
            fs_read waiting(own);
            // `fs.read_bytes(path)`
            fs_read_bytes waiting(own);
            // `fs.write(path, text)`
            fs_write waiting(own, own);
            // `fs.write_bytes(path, bytes)`
            fs_write_bytes waiting(own, own);
            // `fs.append(path, text)`
            fs_append waiting(own, own);
            // `fs.exists(path)`
            fs_exists waiting(own);
            // `fs.list(path)`
            fs_list waiting(own);
            // `fs.glob(pattern)`
            fs_glob waiting(own);
            // `fs.remove(path)`
            fs_remove waiting(own);
            // `fs.make_dir(path)`
            fs_make_dir waiting(own);
            // `env.get(name)`
            env_get waiting(own);
            // `secret("NAME")`
            secret_named plain(own);
            // `a + b` where one is a secret.
            secret_join plain(own, borrow);

            // Images and documents: kind 0 or 1.
            // `image.bytes(b, type)`: kind, bytes, media type or "" to recognise it.
            media_new raising(word, borrow, borrow);
            // `image.url(u)`: kind, address.
            media_url waiting(word, own);
            // `a + b` of user texts that may hold media.
            media_join plain(own, borrow);
            // The marks in a user text for a value of a type of media, an optional or a list of these.
            media_text plain(ty, borrow);
            // A block of data in a user text, which its content cannot close: name, content.
            data_block plain(borrow, borrow);

            // The tree, events, state.
            // Enters a node: kind (`NodeKind`), name, input as `json` or 0. It becomes the task's current node.
            node_enter plain(word, own, own);
            // Waits for the tasks of the current node; raises the first error of a task that was not awaited.
            node_join waiting();
            // Cancels the tasks of the current node and waits until they have ended; never raises.
            node_abort waiting();
            // Leaves the current node as completed, with its output as `json` or 0.
            node_complete plain(own);
            // Leaves the current node as failed or cancelled, as the error says.
            node_fail plain(borrow);
            // `log.…`: level 0 to 3, message, data as `json` or 0.
            log plain(word, own, own);
            // `trust(x, why)`: observers are told why.
            trust_noted plain(own);
            // `emit v` as `json`.
            emit plain(own);
            // A `state` variable begins: its type, its name, the cell that it lives in.
            state_begin plain(word, borrow, borrow);
            // The `state` variable in this cell has another value.
            state_set plain(borrow);
            // The `state` variable in this cell, a list or a string, has more at its end than before, and is else as it was.
            state_append plain(borrow);
            /// `place_whole` of the cell of a `state` variable, of which a part is to change.
            state_place plain(borrow);
            /// The part at a place in this cell, the last that was made, has another value.
            state_part_set plain(borrow, ty, word);
            /// The list or string there has more at its end than this many elements or bytes, and is else as it was.
            state_part_append plain(borrow, ty, word, word);

            // Tasks. A spawned frame belongs to the runtime.
            // Starts a task of the current node on a frame whose parameters are set: task type, frame.
            task_spawn raising(result, word);
            // `await t`
            task_await waiting(own);
            // `await [t, …]`: result list type, tasks.
            task_await_all waiting(result, own);
            // `race [t, …]`: tasks, `RacePolicy`.
            task_race waiting(own, word);
            // `t.cancel()`
            task_cancel plain(borrow);
            // Starts a task of the current node that runs a prompt, on a frame whose parameters are set: stream type, frame.
            stream_start raising(result, word);
            // The next part of a stream's answer: result optional type; waits until there is more of it, and gives `none` at its end.
            stream_next waiting(result, own);
            // Where the answer of a stream continues, as a path; result optional type.
            stream_open raising(result, borrow);
            // How often the parts of a stream have begun anew.
            stream_restarts plain(borrow);
            // A queue: its type, its limit, a [`QueuePurpose`]; `AssertionFailed` for a limit below 1.
            queue_new raising(result, word, word);
            // `q.push(x)`: waits while the queue is full.
            queue_push waiting(own, own);
            // `q.pop()`: result optional type; waits while the queue is empty and not closed.
            queue_pop waiting(result, own);
            // The first item of a full queue, which stays there, or `none`.
            queue_first_when_full plain(result, borrow);
            // `q.close()`
            queue_close plain(borrow);
            // `parallel for`: result list type, closure of one parameter, items, limit ([`NO_LIMIT`] for none), `ErrorPolicy`.
            parallel_for waiting(result, own, own, word, word);
            // `parallel (…)`: result tuple type, a list of closures without parameters, `ErrorPolicy`.
            parallel_tuple waiting(result, own, word);

            // Scopes of modifiers; each `enter` is paired with one `leave` or `fail` on every path.
            // `timeout d`: gives the scope's number; 0 without a scope for [`NO_LIMIT`].
            timeout_enter plain(word);
            // The body ended in time: scope.
            timeout_leave plain(word);
            // The body raised: takes the error and gives the one to raise now (`Timeout` for the scope's own unwinding).
            timeout_fail plain(word, own);
            // `retry`: waits before another attempt, or raises the error again when there is to be none:
            // error, attempts made so far, further attempts, backoff, max.
            retry_wait waiting(own, word, word, word, word);
            // `budget(…)`: usd as float bits ([`NO_DOLLARS`] for none), tokens, calls, time ([`NO_LIMIT`] for none); gives the scope's number.
            budget_enter raising(word, word, word, word);
            // The body ended: scope.
            budget_leave plain(word);
            // The body raised: takes the error and gives the one to raise now.
            budget_fail plain(word, own);
            // Step reflection: waits for the model's judgement, or raises the error again when there is no further round:
            // error, rounds used, rounds, reflection prompt's closure, 1 when it is the built-in one, the type of `Reflection`, a
            // record type whose fields are the closure's parameters.
            reflect_wait waiting(own, word, word, own, word, word, word);
            // Before `node_enter` of a step: what it was called in earlier versions of the program.
            node_was plain(own);
            // Before a `defer` body: what runs until the matching `leave` is not cancelled.
            defer_enter plain();
            // After it.
            defer_leave plain();
            // `undo { }`: a function value without parameters, which the end of the workflow around calls when that fails.
            undo_register plain(own);
            // Where a workflow fails, after its tasks have ended: calls what was registered for it, last first. Never raises.
            undo_all waiting();

            // Models, tools, people.
            // Runs a prompt: result type, index, system text or 0, what is said (a text, or pairs of a [`crate::speaker::Speaker`]
            // and a text), arguments as `json`, settings ([`crate::setting::CallSettings`]) as `json` or 0, the session that the
            // current task has entered or 0.
            prompt_run waiting(result, word, own, own, own, own, own);
            // The value of a prompt's parameter, which a reflection around may have replaced: its type, name, value.
            prompt_revised raising(result, borrow, own);
            // Like `prompt_parameter`, for the first value of a `state` variable: its type, name, value.
            state_revised raising(result, borrow, own);
            // Runs a prompt and gives its `Response<T>`.
            prompt_detail waiting(result, word, own, own, own, own, own);
            // Runs a prompt in the task of a stream, which is given the answer as it arrives.
            prompt_stream waiting(result, word, own, own, own, own, own);
            // An empty session of the agent with this index.
            session_new plain(word);
            // The index of a session's agent as a `json`.
            session_agent plain(borrow);
            // Right before a prompt is run in it: waits its turn. The call that follows leaves it.
            session_enter waiting(borrow);
            // What a mock has answered in it: the session, prompt, what is said, the answer as `json`, 1 where it improves one, 2 for `revise`.
            session_mocked raising(own, word, own, own, word);
            // `session.messages()`: result type, session, how many exchanges, the last ones, are left out.
            session_messages raising(result, borrow, word);
            // Which share of its model's window a session takes, if that is known: result type, session.
            session_fill plain(result, borrow);
            // Puts turns in the place of the first ones: session, both as `json` lists of messages.
            session_shorten raising(borrow, own, own);
            // The most tokens of an answer that the agent of a session sets, if it or the project does: result type, session.
            session_limit raising(result, borrow);
            session_fork plain(borrow);
            // `session.seed(…)`: session, a `json` list of messages.
            session_seed raising(borrow, own);
            // The time limit in the settings of a question, a `json` or 0, in nanoseconds; [`NO_LIMIT`] without one.
            human_timeout plain(borrow);
            // Asks a person: result type, index, what is said (as of a prompt), arguments as `json`, settings as `json` or 0.
            human_ask waiting(result, word, own, own, own);
            // Waits for an answer from outside: result type, index, its key as a string or 0, arguments as `json`.
            external_ask waiting(result, word, own, own);
            // Before a tool's body: index, key or 0, arguments as `json`. Waits for a call with the key; its result in a tuple of one, or `none`.
            tool_begin waiting(result, word, own, own);
            // The result of the call whose node is the current one, before that is left: further calls with its key are given it.
            tool_keep plain(ty, borrow);
            host_call waiting(result, own, own);
            // `exec.run`: argv, stdin or 0, cwd or 0, timeout or a negative one, environment; gives the record `Output`.
            exec_run waiting(result, own, own, own, word, own);
            mcp_call waiting(result, own, own, own, own, own, own, own); // The server's argv, address or 0, environment or headers, what it says of itself for OAuth; the tool, arguments as `json`, a digest or 0.
            // What else `std/mcp` asks, a word of `AskedOfServer`: the same of the server, a name or an address, arguments as `json`.
            mcp_look waiting(result, own, own, own, own, own, own, own);
            // `http.request`: method, url, headers, the body as bytes or 0, or as a `json` or 0; gives the record `HttpResponse`.
            http_request waiting(result, own, own, own, own, own);
            // `context.node` and its kin: result type, what (as `std/context.gsw` numbers it), how many at most, a text.
            context_query raising(result, word, word, own);
            workflow_list plain(); // The workflows that can be started by name, as `json`.
            // `workflows.find(name)?.start(input)`: name, input; gives `Task<json>`.
            workflow_start raising(result, own, own);
            // A model asks for a workflow: name, what for, input; it is started if that is allowed. Gives the record `Verdict` of
            // `std/introspect.gsw`.
            spawn_request raising(result, own, own, own);
            skill_read raising(result, own, own); // Its name, a path in it or ""; gives the record `Found` of `std/skill.gsw`.
            spawn_requested raising(result, word); // The `Task<json>` of what was started so, by the number of its node.
            // What a model has written is compiled: the text; gives the record `Checked` of `std/introspect.gsw`.
            plan_check waiting(result, own);
            // It is run if that is allowed: the text, its image, what is wrong with it, what for, input. Gives the record `Ran`.
            plan_run waiting(result, own, own, own, own, own);
            // Another run: result type, its id, what is asked of it (a word of `AskedOfRun`), a text, a `json`.
            run_ask waiting(result, own, own, own, own);
            // `spawn detached`: function, a record type with its parameters, result type, name, parameters as `json`, the id that
            // it is to have or 0; gives an id.
            spawn_detached waiting(word, word, word, own, own, own);

            // Tests. An item is named by its number among what is mocked, a mock of it by its index.
            // A mock replaces an item: item, closure, an empty list for what it is given, or 0. Gives its index; `mock_at` its closure.
            mock_set plain(word, own, own);
            mock_at plain(word, word);
            // A mock has matched a call: item, index. Gives how many calls it has answered before.
            mock_turn plain(word, word);
            // Keeps what a call that a mock has matched was given: item, index, the arguments.
            mock_given plain(word, word, own);
            // Before it answers: result type, how the item may be repeated (0 pure to 3 once), its name, the arguments as `json`.
            mock_called waiting(result, word, own, own);
            mock_count plain(word, word);
            mock_arguments plain(word, word);
            // From here on the agent's model does what a script says: the agent's index, the turns as `json`.
            mock_agent plain(word, own);
            // Keeps a `json` that is compared with what was accepted before.
            snapshot plain(own);
            // Raises because only a mock can answer, which fails the test also where it is caught: item, its name, arguments as `json`.
            unmocked raising(word, own, own);
            // The call before, for a prompt that no model or script may answer; then the call's agent as `json`, or 0, its index.
            prompt_unmocked raising(word, own, own, borrow, word);
        }
    };
}

macro_rules! define {
    ($($(#[$doc:meta])* $name:ident $kind:ident($($parameter:ident),*);)*) => {
        /// A runtime call, in table order.
        #[allow(non_camel_case_types, reason = "a row has one spelling everywhere")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u32)]
        pub enum RuntimeCall { $($(#[$doc])* $name),* }

        impl RuntimeCall {
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Its name, which `@intrinsic` takes.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }

            /// What it does to control flow.
            #[must_use]
            pub const fn kind(self) -> CallKind {
                match self { $(Self::$name => define!(@kind $kind)),* }
            }

            /// Its parameters after context and frame.
            #[must_use]
            pub const fn parameters(self) -> &'static [Parameter] {
                match self { $(Self::$name => &[$(define!(@parameter $parameter)),*]),* }
            }
        }

        /// The addresses of all runtime calls, in the order of the rows; compiled code indexes it by [`RuntimeCall`].
        #[repr(C)]
        pub struct Table { $(pub $name: define!(@function $kind($($parameter),*))),* }
    };
    (@kind plain) => { CallKind::Plain };
    (@kind raising) => { CallKind::Raising };
    (@kind waiting) => { CallKind::Waiting };
    (@parameter word) => { Parameter::Word };
    (@parameter borrow) => { Parameter::Borrow };
    (@parameter own) => { Parameter::Own };
    (@parameter result) => { Parameter::Result };
    (@parameter ty) => { Parameter::Ty };
    (@word $parameter:ident) => { u64 };
    (@function plain($($p:ident),*)) => { unsafe extern "C" fn(*mut Context, $(define!(@word $p)),*) -> u64 };
    (@function raising($($p:ident),*)) => { unsafe extern "C" fn(*mut Context, $(define!(@word $p)),*) -> Outcome };
    (@function waiting($($p:ident),*)) => { unsafe extern "C" fn(*mut Context, *mut Frame, $(define!(@word $p)),*) -> u64 };
}

for_each_runtime_call!(define);
