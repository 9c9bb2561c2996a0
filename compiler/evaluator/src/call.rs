//! Calls: of declarations with named arguments and defaults, and of function values.

use std::rc::Rc;
use std::sync::Arc;

use gsw_infer::hir::{Body, BodyPart, Callee, ExpressionId};
use gsw_infer::infer_item;
use gsw_names::item_signature;
use gsw_names::types::Type;
use gsw_source::{Db, ItemId, ItemKind};
use gsw_syntax::ast::{ItemBody, RepeatClass};
use gsw_syntax::item_ast;

use crate::equal::equal;
use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, Stop, unsupported};
use crate::value::{Function, Value};

impl Machine<'_> {
    pub fn call(
        &mut self,
        frame: &mut Frame,
        callee: &Callee,
        arguments: &[(u32, ExpressionId)],
    ) -> Flow<Value> {
        match callee {
            Callee::Item {
                item,
                type_arguments,
            } => {
                let types = type_arguments.iter().map(|it| frame.concrete(it)).collect();
                let given = self.numbered(frame, arguments)?;
                self.call_item(*item, &types, given)
            }
            Callee::EnumValues(item) => {
                let variants = 0..self.variants(*item).len() as u32;
                Ok(Value::list(
                    variants
                        .map(|it| Value::Variant(*item, it, Rc::default()))
                        .collect(),
                ))
            }
            Callee::Value(function) => {
                let function = self.evaluate(frame, *function)?;
                let mut given = self.numbered(frame, arguments)?;
                given.sort_by_key(|(index, _)| *index);
                let arguments = given.into_iter().map(|(_, value)| value).collect();
                self.call_value(&function, arguments)
            }
        }
    }

    pub fn call_value(&mut self, function: &Value, arguments: Vec<Value>) -> Flow<Value> {
        let Value::Function(function) = function else {
            return unsupported(format!("{function:?} is no function"));
        };
        match &**function {
            Function::Item(item, types) => {
                let arguments = (0..).zip(arguments).collect();
                self.call_item(*item, types, arguments)
            }
            Function::Constructor(item, _) if item.kind(self.db) == ItemKind::Error => {
                Ok(Value::Error(*item, Rc::new(arguments)))
            }
            Function::Constructor(item, variant) => {
                Ok(Value::Variant(*item, *variant, Rc::new(arguments)))
            }
            Function::Closure(closure) => {
                let mut frame = Frame::of_closure(closure, arguments);
                self.deeper(|it| run(it, &mut frame, closure.root))
            }
        }
    }

    /// Calls a declaration with these arguments; missing ones take their defaults.
    pub fn call_item(
        &mut self,
        item: ItemId,
        types: &Rc<[Type]>,
        given: Vec<(u32, Value)>,
    ) -> Flow<Value> {
        let signature = Arc::clone(&item_signature(self.db, item).signature);
        let mut arguments: Vec<Value> = Vec::new();
        for index in 0..signature.parameters.len() as u32 {
            let written = given.iter().find(|(it, _)| *it == index);
            let value = match written {
                Some((_, value)) => value.clone(),
                None => self.parameter_default(item, index, types, &arguments)?,
            };
            arguments.push(value);
        }
        if let Some(row) = signature.intrinsic {
            return self.intrinsic(row, &signature, types, &arguments);
        }
        match item.kind(self.db) {
            ItemKind::Tool => call_tool(self, item, arguments),
            ItemKind::Function | ItemKind::Mcp => {
                let body = self.body(item, BodyPart::Main)?;
                self.run_body(body, Rc::clone(types), arguments)
            }
            ItemKind::Workflow => call_workflow(self, item, arguments),
            ItemKind::Import
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Hook
            | ItemKind::Human
            | ItemKind::External
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => unsupported(format!("calls of `{}`", item.name(self.db))),
        }
    }

    pub fn run_body(
        &mut self,
        body: Arc<Body>,
        types: Rc<[Type]>,
        arguments: Vec<Value>,
    ) -> Flow<Value> {
        let root = body.root;
        let mut frame = Frame::new(body, types, arguments);
        self.deeper(|it| run(it, &mut frame, root))
    }
}

/// A second call with the same key gives the first result.
fn call_tool(machine: &mut Machine, item: ItemId, arguments: Vec<Value>) -> Flow<Value> {
    let body = machine.body(item, BodyPart::Main)?;
    let Ok(key) = machine.body(item, BodyPart::Key) else {
        if is_written_once(machine.db, item) {
            machine.once_calls += 1;
        }
        return in_modifiers(machine, item, body, arguments);
    };
    let key = machine.run_body(key, [].into(), arguments.clone())?;
    let same = |it: &&(ItemId, Value, Value)| it.0 == item && equal(&it.1, &key);
    if let Some((_, _, value)) = machine.keyed.iter().find(same) {
        return Ok(value.clone());
    }
    let is_running = |it: &(ItemId, Value)| it.0 == item && equal(&it.1, &key);
    if machine.keys_at_work.iter().any(is_running) {
        return unsupported("a call with the same key has not ended");
    }
    machine.keys_at_work.push((item, key.clone()));
    let outcome = in_modifiers(machine, item, body, arguments);
    machine
        .keys_at_work
        .retain(|it| it.0 != item || !equal(&it.1, &key));
    let value = outcome?;
    machine.keyed.push((item, key, value.clone()));
    Ok(value)
}

/// Whether a tool says `once`; of one that says nothing the reference does not know what it does.
fn is_written_once(db: &dyn Db, item: ItemId) -> bool {
    let tree = item_ast(db, item);
    let body = tree.as_deref().map(|it| &it.body);
    matches!(body, Some(ItemBody::Tool { signature, .. }) if matches!(signature.repeat, Some(RepeatClass::Once(_))))
}

fn call_workflow(machine: &mut Machine, item: ItemId, arguments: Vec<Value>) -> Flow<Value> {
    let body = machine.body(item, BodyPart::Main)?;
    machine.undoing(|it| it.node(|it| in_modifiers(it, item, body, arguments)))
}

/// The body of a workflow or tool, in the modifiers of its head.
fn in_modifiers(
    machine: &mut Machine,
    item: ItemId,
    body: Arc<Body>,
    arguments: Vec<Value>,
) -> Flow<Value> {
    let modifiers = infer_item(machine.db, item).modifiers.clone();
    let root = body.root;
    let mut frame = Frame::new(body, [].into(), arguments);
    machine.deeper(|it| it.modified(&mut frame, &modifiers, |it, frame| run(it, frame, root)))
}

/// Evaluates the code of a function: `return` ends here.
fn run(machine: &mut Machine, frame: &mut Frame, root: ExpressionId) -> Flow<Value> {
    match machine.evaluate(frame, root) {
        Err(Stop::Return(value)) => Ok(value),
        Err(Stop::Break | Stop::Continue) => unsupported("a loop is left from outside"),
        other => other,
    }
}
