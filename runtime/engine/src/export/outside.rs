//! Runtime calls that reach models, tools, people, programs of the system and servers.

use gsw_abi::call::{AskedOfRun, AskedOfServer, NO_LIMIT, NodeKind, SaidOfServer};
use gsw_abi::program::FunctionIndex;
use gsw_abi::setting::Setting;
use gsw_abi::types::TypeId;
use serde_json::Value;

use crate::codec;
use crate::export::guard::calls;
use crate::node::NodeId;
use crate::operation::{
    AskOfRun, AskOfServer, Delivery, DetachedStart, ExecRequest, Failure, HttpRequest, McpRequest,
    PlaceOfServer, Request,
};
use crate::run::human::{NewExternal, NewQuestion};
use crate::run::introspection::{SpawnRequest, WrittenRequest};
use crate::run::prompt::{Gives, NewPrompt};
use crate::run::tool_key::ToolKey;
use crate::run::{
    Run, by_name, context, human, introspection, keyed_call, prompt, raise, reflection_log, skills,
    words,
};
use crate::secret::Template;
use crate::step::Step;
use crate::value::{list, string};

calls! {
    /// Runs a prompt: result type, prompt, system text or 0, the messages, arguments, settings or 0.
    waiting prompt_run(run, result, prompt, system, said, arguments, settings, session) {
        let result = TypeId(result as u32);
        let prompt = prompt as usize;
        prompt::prompt(run, NewPrompt { result, prompt, system, said, arguments, settings, session, gives: Gives::Answer, delivery: Delivery::Whole })
    }

    /// Like [`prompt_run`], in the task of a stream.
    waiting prompt_stream(run, result, prompt, system, said, arguments, settings, session) {
        let result = TypeId(result as u32);
        let prompt = prompt as usize;
        prompt::prompt(run, NewPrompt { result, prompt, system, said, arguments, settings, session, gives: Gives::Answer, delivery: Delivery::Pieces })
    }

    /// The value of a prompt's parameter: its type, name, value.
    raising prompt_revised(run, ty, name, value) {
        Ok(reflection_log::revised_parameter(run, TypeId(ty as u32), string::text(name), value))
    }

    /// Like [`prompt_run`], but returns a `Response`.
    waiting prompt_detail(run, result, prompt, system, said, arguments, settings, session) {
        let result = TypeId(result as u32);
        let prompt = prompt as usize;
        prompt::prompt(run, NewPrompt { result, prompt, system, said, arguments, settings, session, gives: Gives::Response, delivery: Delivery::Whole })
    }

    /// The time limit of a question.
    plain human_timeout(run, settings) {
        let _ = run;
        let tree = if settings == 0 { None } else { codec::json_to_tree(settings).ok() };
        let seconds = tree.as_ref().and_then(|it| it.get(Setting::Timeout.name())).and_then(Value::as_f64);
        // What no clock can represent becomes the longest duration.
        seconds.map_or(NO_LIMIT, |it| (it * 1e9).round().clamp(-1e18, 9.2e18) as i64).cast_unsigned()
    }

    waiting human_ask(run, result, human, said, arguments, settings) {
        // The time limit was read before.
        run.heap.release(settings);
        let (result, human) = (TypeId(result as u32), human as usize);
        human::ask_person(run, NewQuestion { result, human, said, arguments })
    }

    /// An answer from outside: result type, index, key or 0, arguments.
    waiting external_ask(run, result, external, key, arguments) {
        let (result, external) = (TypeId(result as u32), external as usize);
        human::ask_outside(run, NewExternal { result, external, key, arguments })
    }

    /// Before a tool's body: the result of an earlier call with the same key in a tuple of one, else `none`.
    waiting tool_begin(run, result, tool, key, arguments) {
        match words::take_text(&mut run.heap, key) {
            Some(key) => {
                let given = keyed_call::take_arguments(&mut run.heap, arguments);
                let key = ToolKey { tool, key };
                keyed_call::begin_keyed_call(run, key, given, TypeId(result as u32))
            },
            None => {
                run.heap.release(arguments);
                keyed_call::begin_once_call(run, tool);
                Step::Done(0)
            },
        }
    }

    /// The result of a tool that has a key, at the end of its body.
    plain tool_keep(run, ty, value) {
        let node = run.scheduler.current_node();
        run.tool_keys.keep(&mut run.heap, node, TypeId(ty as u32), value);
        0
    }

    /// `exec.run`: result type, argv, stdin or 0, cwd or 0, timeout or a negative one, environment.
    waiting exec_run(run, result, argv, stdin, cwd, timeout, env) {
        let words = list::words(argv).iter().map(|&it| string::text(it).to_owned()).collect();
        run.heap.release(argv);
        let env = words::take_templates(&mut run.heap, env);
        let env = run.environments.with(run.tree(), run.scheduler.current_node(), env);
        let request = ExecRequest {
            argv: words,
            stdin: words::take_text(&mut run.heap, stdin),
            cwd: words::take_text(&mut run.heap, cwd),
            timeout_nanoseconds: Some(timeout as i64).filter(|it| *it >= 0),
            env,
        };
        if request.argv.is_empty() {
            let message = "there is no program to run: `argv` is empty".into();
            return Step::Raised(raise::error_of_failure(&mut run.heap, Failure::Io { path: None, message }));
        }
        let request = Box::new(request);
        run.perform_for(Request::Exec { request }, TypeId(result as u32))
    }

    /// `Server.call` of `std/mcp`: result type, argv, address or 0, environment or headers, its settings, tool, arguments, digest or 0.
    waiting mcp_call(run, result, argv, url, given, oauth, tool, arguments, digest) {
        let tool = words::take_string(&mut run.heap, tool);
        let input = codec::encode(&run.heap, gsw_abi::builtin::JSON, arguments);
        run.heap.release(arguments);
        let digest = words::take_text(&mut run.heap, digest);
        ask_server(run, result, [argv, url, given, oauth], AskOfServer::Call { tool, input, digest })
    }

    /// What `std/mcp` reads: result type, what, argv, address or 0, environment or headers, its settings, a name or an address, arguments.
    waiting mcp_look(run, result, what, argv, url, given, oauth, name, arguments) {
        let name = words::take_string(&mut run.heap, name);
        let input = codec::encode(&run.heap, gsw_abi::builtin::JSON, arguments);
        run.heap.release(arguments);
        let what = words::take_string(&mut run.heap, what);
        let ask = match AskedOfServer::of_word(&what) {
            AskedOfServer::Tools => AskOfServer::Tools,
            AskedOfServer::Resources => AskOfServer::Resources,
            AskedOfServer::Templates => AskOfServer::Templates,
            AskedOfServer::Read => AskOfServer::Read { uri: name },
            AskedOfServer::Prompts => AskOfServer::Prompts,
            AskedOfServer::Prompt => AskOfServer::Prompt { prompt: name, input },
            AskedOfServer::Talk => AskOfServer::Talk { tool: name, turn: input },
        };
        ask_server(run, result, [argv, url, given, oauth], ask)
    }

    waiting http_request(run, result, method, url, headers, content, value) {
        let method = words::take_string(&mut run.heap, method);
        let url = words::take_string(&mut run.heap, url);
        let mut headers = words::take_templates(&mut run.heap, headers);
        let mut body = (content != 0).then(|| string::bytes(content).to_vec());
        run.heap.release(content);
        if value != 0 {
            body = Some(codec::encode(&run.heap, gsw_abi::builtin::JSON, value).into_bytes());
            let is_type = |it: &(String, Template)| it.0.eq_ignore_ascii_case("content-type");
            if !headers.iter().any(is_type) {
                headers.push(("Content-Type".into(), Template::plain("application/json")));
            }
        }
        run.heap.release(value);
        let request = Box::new(HttpRequest { method, url, headers, body });
        run.perform_for(Request::Http { request }, TypeId(result as u32))
    }

    /// The body of a tool that the host has: result type, name, arguments as a `json` object.
    waiting host_call(run, result, tool, arguments) {
        let tool = words::take_text(&mut run.heap, tool).unwrap_or_default();
        let input = crate::codec::encode(&run.heap, gsw_abi::builtin::JSON, arguments);
        run.heap.release(arguments);
        run.perform_for(Request::Host { tool, input }, TypeId(result as u32))
    }

    /// `context.node` and its kin: result type, what, how many at most, a text.
    raising context_query(run, result, what, count, text) {
        let text = words::take_string(&mut run.heap, text);
        context::query_context(run, TypeId(result as u32), what, count as i64, &text)
    }

    /// The workflows that can be started by name.
    json workflow_list(run) {
        by_name::list_workflows(run)
    }

    /// `workflows.find(name)?.start(input)`: type of the task, name, input.
    raising workflow_start(run, task_type, name, input) {
        let name = words::take_string(&mut run.heap, name);
        let tree = codec::json_to_tree(input);
        run.heap.release(input);
        by_name::start_by_name(run, TypeId(task_type as u32), &name, &tree.unwrap_or(Value::Null))
    }

    /// `introspect.request_spawn_workflow`: type of the verdict, name, what for, input.
    raising spawn_request(run, result, name, description, input) {
        let (workflow, description) = (words::take_string(&mut run.heap, name), words::take_string(&mut run.heap, description));
        let tree = codec::json_to_tree(input);
        run.heap.release(input);
        let input = tree.unwrap_or(Value::Null);
        introspection::request_spawn(run, TypeId(result as u32), SpawnRequest { workflow, description, input })
    }

    /// The tools of `std/skill`: type of what is found, the skill, a path in it.
    raising skill_read(run, result, name, path) {
        let (name, path) = (words::take_string(&mut run.heap, name), words::take_string(&mut run.heap, path));
        skills::read(run, TypeId(result as u32), &name, &path)
    }

    /// The task of a workflow that was started so.
    raising spawn_requested(run, task_type, node) {
        introspection::requested_task(run, TypeId(task_type as u32), NodeId(node as u32))
    }

    /// `introspect.request_written_workflow`: type of what the compiler says, the text.
    waiting plan_check(run, result, source) {
        let source = words::take_string(&mut run.heap, source);
        introspection::check_written(run, TypeId(result as u32), source)
    }

    /// Runs a written program: type of its result, the text, its image, what is wrong with it, what for, input.
    waiting plan_run(run, result, source, image, diagnostics, description, input) {
        let tree = codec::json_to_tree(input);
        run.heap.release(input);
        let request = WrittenRequest {
            source: words::take_string(&mut run.heap, source),
            image: words::take_string(&mut run.heap, image),
            diagnostics: words::take_string(&mut run.heap, diagnostics),
            description: words::take_string(&mut run.heap, description),
            input: tree.unwrap_or(Value::Null),
        };
        introspection::run_written(run, TypeId(result as u32), request)
    }

    /// `std/runs`: result type, id of the run, what is asked of it, a text, a value.
    waiting run_ask(run, result, id, what, text, value) {
        let id = words::take_string(&mut run.heap, id);
        let text = words::take_string(&mut run.heap, text);
        let answer = codec::encode(&run.heap, gsw_abi::builtin::JSON, value);
        run.heap.release(value);
        let what = words::take_string(&mut run.heap, what);
        let ask = match AskedOfRun::of_word(&what) {
            AskedOfRun::Find => AskOfRun::Find,
            AskedOfRun::Status => AskOfRun::Status,
            AskedOfRun::State => AskOfRun::State,
            AskedOfRun::Result => AskOfRun::Result,
            AskedOfRun::Cancel => AskOfRun::Cancel { reason: text },
            AskedOfRun::Answer => AskOfRun::Answer { name: text, answer },
        };
        run.perform_for(Request::OtherRun { run: id, ask }, TypeId(result as u32))
    }

    /// `spawn detached`: function, types of parameters and result, name, parameters, id or 0.
    waiting spawn_detached(run, function, parameters, result, name, input, id) {
        let tree = codec::json_to_tree(input);
        run.heap.release(input);
        let id = words::take_text(&mut run.heap, id);
        let workflow = words::take_string(&mut run.heap, name);
        let input = match tree {
            Ok(Value::Object(input)) => input,
            // The compiler puts parameters together into an object.
            Ok(_) => serde_json::Map::new(),
            Err(issue) => {
                let message = format!("`{workflow}` cannot be given its parameters: {}", issue.message);
                return Step::Raised(raise::failed(&mut run.heap, &message));
            }
        };
        let was = run.loaded
            .program
            .former_name(NodeKind::Workflow, &workflow);
        let start = DetachedStart {
            id,
            was: was.map(str::to_owned),
            workflow,
            function: FunctionIndex(function as u32),
            parameters: TypeId(parameters as u32),
            result: TypeId(result as u32),
            input,
        };
        run.detach(start)
    }
}

/// Asks an MCP server: result type, its argv, address or 0, environment or headers, its settings.
fn ask_server(run: &mut Run, result: u64, server: [u64; 4], ask: AskOfServer) -> Step {
    let [argv, url, given, oauth] = server;
    let words = list::words(argv)
        .iter()
        .map(|&it| string::text(it).to_owned())
        .collect();
    run.heap.release(argv);
    let given = words::take_templates(&mut run.heap, given);
    let mut oauth = words::take_templates(&mut run.heap, oauth);
    let mut taken = |said: SaidOfServer| {
        let at = oauth.iter().position(|it| it.0 == said.word())?;
        oauth.remove(at).1.plain_text()
    };
    let silence = taken(SaidOfServer::Silence).and_then(|it| it.parse().ok());
    let grants = taken(SaidOfServer::Grants).and_then(|it| serde_json::from_str(&it).ok());
    let at = match words::take_text(&mut run.heap, url) {
        Some(url) => PlaceOfServer::Address {
            url,
            headers: given,
            oauth,
        },
        None => PlaceOfServer::Program {
            argv: words,
            env: run
                .environments
                .with(run.tree(), run.scheduler.current_node(), given),
        },
    };
    let request = Box::new(McpRequest {
        at,
        ask,
        silence,
        grants,
    });
    run.perform_for(Request::Mcp { request }, TypeId(result as u32))
}
