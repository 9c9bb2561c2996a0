//! Writes files of events as a run would, in the form that they have on the disk.

use gsw_trace::{NoTrace, Trace};
use serde_json::{Value, json};

/// The lines of a file.
pub struct Story {
    pub lines: Vec<String>,
    sequence: u64,
    clock: i64,
    run: &'static str,
}

impl Story {
    pub fn new() -> Self {
        let header = json!({ "format": "groundswell-events", "version": 1, "program": "review", "image": "" });
        Self {
            lines: vec![header.to_string()],
            sequence: 0,
            clock: 1_700_000_000_000_000_000,
            run: "run-1",
        }
    }

    /// Lets milliseconds pass.
    pub fn wait(&mut self, milliseconds: i64) -> &mut Self {
        self.clock += milliseconds * 1_000_000;
        self
    }

    pub fn tell(&mut self, node: u32, kind: &str, fields: Value) -> &mut Self {
        let mut event = json!({
            "sequence": self.sequence,
            "time": gsw_notation::calendar::rfc3339(self.clock),
            "run": self.run,
            "node": node,
            "event": kind,
        });
        let all = event.as_object_mut().expect("it is an object");
        all.extend(fields.as_object().cloned().unwrap_or_default());
        self.lines.push(event.to_string());
        self.sequence += 1;
        self
    }

    pub fn attach(
        &mut self,
        node: u32,
        parent: u32,
        kind: &str,
        name: &str,
        index: u32,
    ) -> &mut Self {
        let fields = json!({
            "parent": parent, "kind": kind, "name": name, "index": index, "status": "running", "input": { "n": node },
        });
        self.tell(node, "child_attached", fields)
    }

    pub fn end(&mut self, node: u32, kind: &str, name: &str, status: &str) -> &mut Self {
        let word = kind.trim_end_matches("_end");
        let mut fields = json!({ "status": status, "duration": 0.001 });
        fields[word] = name.into();
        match status {
            "failed" => fields["error"] = "Failed: no".into(),
            _ => fields["output"] = json!({ "of": node }),
        }
        self.tell(node, kind, fields)
    }

    pub fn log(&mut self, node: u32, level: &str, message: &str) -> &mut Self {
        self.tell(node, "log", json!({ "level": level, "message": message }))
    }

    pub fn text(&self) -> String {
        self.lines.iter().map(|it| format!("{it}\n")).collect()
    }

    pub fn read(&self) -> Trace {
        read(self.text().as_bytes()).expect("it is a file of events")
    }
}

pub fn read(bytes: &[u8]) -> Result<Trace, NoTrace> {
    gsw_trace::read(bytes)
}

/// A review of some files with everything in it that a run can have.
pub fn review() -> Story {
    let mut story = Story::new();
    story
        .attach(1, 0, "workflow", "main", 0)
        .tell(1, "workflow_start", json!({ "workflow": "main" }))
        .attach(2, 1, "step", "list", 0)
        .wait(2)
        .end(2, "step_end", "list", "completed")
        .attach(3, 1, "parallel", "parallel", 0)
        .attach(4, 3, "iteration", "iteration", 0)
        .attach(5, 4, "step", "review \"a\"/b", 0)
        .log(5, "info", "begun")
        .attach(6, 5, "prompt", "find_bugs", 0)
        .tell(
            6,
            "prompt_start",
            json!({ "agent": "reviewer", "prompt": "find_bugs", "model": "sim/default" }),
        )
        .tell(
            6,
            "model_request",
            json!({ "model": "sim/default", "attempt": 1 }),
        )
        .wait(900);
    let usage = json!({ "input_tokens": 1_200, "output_tokens": 96, "cache_read_tokens": 0, "cache_write_tokens": 0 });
    let detail = json!({
        "model": "sim/default", "usage": usage, "cost_usd": 0.0042, "cached": false, "cache_key": null, "attempts": 1,
        "turns": 1, "stop_reason": "end", "repairs": [], "simulated": true,
    });
    story
        .tell(6, "prompt_end", json!({
            "prompt": "find_bugs", "status": "completed", "duration": 0.9, "output": [], "usage": usage, "detail": detail,
        }))
        .tell(5, "step_retry", json!({
            "step": "review", "attempt": 1, "error": "Failed: no", "analysis": "may help", "delay": 1.0,
        }))
        .wait(1_100)
        .log(5, "warn", "again")
        .end(5, "step_end", "review", "failed")
        .tell(4, "task_end", json!({ "status": "failed", "duration": 2.0, "error": "Failed: no" }))
        .tell(3, "status", json!({ "status": "failed", "duration": 2.0, "error": "Failed: no" }))
        .log(1, "error", "over")
        .end(1, "workflow_end", "main", "failed");
    story
}
