//! Runtime calls that reach models, tools, people, programs of the system and servers.

use gsw_abi::call::NO_LIMIT;
use gsw_abi::program::FunctionIndex;
use gsw_abi::setting::Setting;
use gsw_abi::types::TypeId;
use serde_json::{Value, json};

use crate::codec::{self, decode};
use crate::export::guard::calls;
use crate::node::NodeId;
use crate::operation::{
    DetachedStart, ExecOutput, ExecRequest, Failure, HttpAnswer, HttpRequest, Request,
};
use crate::run::Run;
use crate::run::human::NewQuestion;
use crate::run::introspection::SpawnRequest;
use crate::run::prompt::{Gives, NewPrompt};
use crate::secret::Template;
use crate::step::Step;
use crate::value::{list, map, string};

calls! {
    /// Runs a prompt: result type, prompt, system text or 0, user text, arguments, settings or 0.
    waiting prompt_run(run, result, prompt, system, user, arguments, settings) {
        let result = TypeId(result as u32);
        let prompt = prompt as usize;
        run.prompt(NewPrompt { result, prompt, system, user, arguments, settings, gives: Gives::Answer })
    }

    /// The value of a prompt's parameter: its type, name, value.
    raising prompt_revised(run, ty, name, value) {
        Ok(run.revised_parameter(TypeId(ty as u32), string::text(name), value))
    }

    /// The same, giving a `Response`.
    waiting prompt_detail(run, result, prompt, system, user, arguments, settings) {
        let result = TypeId(result as u32);
        let prompt = prompt as usize;
        run.prompt(NewPrompt { result, prompt, system, user, arguments, settings, gives: Gives::Response })
    }

    /// The time limit of a question.
    plain human_timeout(run, settings) {
        let _ = run;
        let tree = if settings == 0 { None } else { codec::json_to_tree(settings).ok() };
        let seconds = tree.as_ref().and_then(|it| it.get(Setting::Timeout.name())).and_then(Value::as_f64);
        // What is beyond all clocks is the longest that there is.
        seconds.map_or(NO_LIMIT, |it| (it * 1e9).round().clamp(-1e18, 9.2e18) as i64).cast_unsigned()
    }

    /// Asks a person.
    waiting human_ask(run, result, human, text, arguments, settings) {
        // The time limit was read before.
        run.heap.release(settings);
        let (result, human) = (TypeId(result as u32), human as usize);
        run.ask_person(NewQuestion { result, human, text, arguments })
    }

    /// Before a tool's body: the result of an earlier call with the same key in a tuple of one, else `none`.
    waiting tool_begin(run, result, tool, key, arguments) {
        run.heap.release(arguments);
        match run.take_text(key) {
            Some(key) => run.begin_keyed_call(tool, key, TypeId(result as u32)),
            None => Step::Done(0),
        }
    }

    /// At the end of a tool's body with a key: what it gives.
    plain tool_keep(run, ty, value) {
        let node = run.current_node();
        run.keep_result(node, TypeId(ty as u32), value);
        0
    }

    /// `exec.run`: result type, argv, stdin or 0, cwd or 0, timeout or a negative one, environment.
    waiting exec_run(run, result, argv, stdin, cwd, timeout, env) {
        let words = list::words(argv).iter().map(|&it| string::text(it).to_owned()).collect();
        run.heap.release(argv);
        let request = ExecRequest {
            argv: words,
            stdin: run.take_text(stdin),
            cwd: run.take_text(cwd),
            timeout_nanoseconds: Some(timeout as i64).filter(|it| *it >= 0),
            env: run.take_templates(env),
        };
        if request.argv.is_empty() {
            let message = "there is no program to run: `argv` is empty".into();
            return Step::Raised(run.error_of_failure(Failure::Io { path: None, message }));
        }
        let request = Box::new(request);
        run.perform_for(Request::Exec { request }, TypeId(result as u32))
    }

    /// `http.request`
    waiting http_request(run, result, method, url, headers, body) {
        let request = HttpRequest {
            method: run.take_string(method),
            url: run.take_string(url),
            headers: run.take_templates(headers),
            body: run.take_text(body),
        };
        let request = Box::new(request);
        run.perform_for(Request::Http { request }, TypeId(result as u32))
    }

    /// The body of a tool that the host has: result type, name, arguments as a `json` object.
    waiting host_call(run, result, tool, arguments) {
        let tool = run.take_text(tool).unwrap_or_default();
        let input = crate::codec::encode(&run.heap, gsw_abi::builtin::JSON, arguments);
        run.heap.release(arguments);
        run.perform_for(Request::Host { tool, input }, TypeId(result as u32))
    }

    /// `context.node` and its kin: result type, what, how many at most, a text.
    raising context_query(run, result, what, count, text) {
        let text = run.take_string(text);
        run.query_context(TypeId(result as u32), what, count as i64, &text)
    }

    /// The workflows that can be started by name.
    json workflow_list(run) {
        run.list_workflows()
    }

    /// `workflows.find(name)?.start(input)`: type of the task, name, input.
    raising workflow_start(run, task_type, name, input) {
        let name = run.take_string(name);
        let tree = codec::json_to_tree(input);
        run.heap.release(input);
        run.start_by_name(TypeId(task_type as u32), &name, &tree.unwrap_or(Value::Null))
    }

    /// `introspect.request_spawn_workflow`: type of the verdict, name, what for, input.
    raising spawn_request(run, result, name, description, input) {
        let (workflow, description) = (run.take_string(name), run.take_string(description));
        let tree = codec::json_to_tree(input);
        run.heap.release(input);
        let input = tree.unwrap_or(Value::Null);
        run.request_spawn(TypeId(result as u32), SpawnRequest { workflow, description, input })
    }

    /// The task of a workflow that was started so.
    raising spawn_requested(run, task_type, node) {
        run.requested_task(TypeId(task_type as u32), NodeId(node as u32))
    }

    /// `spawn detached`: function, types of parameters and result, name, parameters.
    waiting spawn_detached(run, function, parameters, result, name, input) {
        let tree = codec::json_to_tree(input);
        run.heap.release(input);
        let input = match tree {
            Ok(Value::Object(input)) => input,
            _ => serde_json::Map::new(),
        };
        let start = DetachedStart {
            workflow: run.take_string(name),
            function: FunctionIndex(function as u32),
            parameters: TypeId(parameters as u32),
            result: TypeId(result as u32),
            input,
        };
        run.detach(start)
    }
}

impl Run {
    /// A `{string: secret}`, which is taken over.
    fn take_templates(&mut self, entries: u64) -> Vec<(String, Template)> {
        let pairs = map::entries(entries);
        let pairs = pairs.map(|(key, value)| (string::text(key).to_owned(), Template::of(value)));
        let pairs = pairs.collect();
        self.heap.release(entries);
        pairs
    }

    /// What a program of the system gave, as the record `Output`.
    pub(crate) fn exec_output(&mut self, output: &ExecOutput, result: TypeId) -> Result<u64, u64> {
        let tree = json!({ "code": output.code, "stdout": output.stdout, "stderr": output.stderr });
        self.record_of(result, &tree)
    }

    /// What a server answered, as the record `HttpResponse`.
    pub(crate) fn http_answer(&mut self, answer: &HttpAnswer, result: TypeId) -> Result<u64, u64> {
        let headers: serde_json::Map<_, _> = answer
            .headers
            .iter()
            .map(|(name, text)| (name.clone(), text.clone().into()))
            .collect();
        let tree = json!({ "status": answer.status, "headers": headers, "body": answer.body });
        self.record_of(result, &tree)
    }

    /// What a tool of the host gave, as a value of its result type.
    pub(crate) fn host_answer(
        &mut self,
        tool: String,
        answer: &str,
        result: TypeId,
    ) -> Result<u64, u64> {
        // An answer is written by ourselves, so only a damaged journal makes it `null`, which is then refused or fits.
        let tree = serde_json::from_str(answer).unwrap_or_default();
        decode::decode(self, result, &tree).map_err(|issue| {
            self.error_of_failure(Failure::Tool {
                tool,
                message: format!("its answer does not fit: {}: {}", issue.path, issue.message),
            })
        })
    }

    fn record_of(&mut self, ty: TypeId, tree: &serde_json::Value) -> Result<u64, u64> {
        decode::decode(self, ty, tree).map_err(|issue| {
            self.no_record(&format!(
                "a result does not fit its record: {}",
                issue.message
            ))
        })
    }
}
