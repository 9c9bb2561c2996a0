//! Calls: of declarations with named arguments and defaults, and of function values.

use std::rc::Rc;
use std::sync::Arc;

use gsw_infer::hir::{Body, BodyPart, Callee, ExpressionId};
use gsw_infer::infer_item;
use gsw_names::item_signature;
use gsw_names::types::Type;
use gsw_source::{ItemId, ItemKind};

use crate::equal::equal;
use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, Raised, Stop, unsupported};
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
                self.deeper(|it| it.run(&mut frame, closure.root))
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
            return self.intrinsic(row.name(), &signature, types, &arguments);
        }
        match item.kind(self.db) {
            ItemKind::Tool => self.call_tool(item, arguments),
            ItemKind::Function => {
                let body = self.body(item, BodyPart::Main)?;
                self.run_body(body, Rc::clone(types), arguments)
            }
            ItemKind::Workflow => self.call_workflow(item, arguments),
            ItemKind::Import
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Human
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => unsupported(format!("calls of `{}`", item.name(self.db))),
        }
    }

    /// A second call with the same key gives the first result.
    fn call_tool(&mut self, item: ItemId, arguments: Vec<Value>) -> Flow<Value> {
        let body = self.body(item, BodyPart::Main)?;
        let Ok(key) = self.body(item, BodyPart::Key) else {
            return self.run_body(body, [].into(), arguments);
        };
        let key = self.run_body(key, [].into(), arguments.clone())?;
        let same = |it: &&(ItemId, Value, Value)| it.0 == item && equal(&it.1, &key);
        if let Some((_, _, value)) = self.keyed.iter().find(same) {
            return Ok(value.clone());
        }
        let is_running = |it: &(ItemId, Value)| it.0 == item && equal(&it.1, &key);
        if self.keys_at_work.iter().any(is_running) {
            return unsupported("a call with the same key has not ended");
        }
        self.keys_at_work.push((item, key.clone()));
        let outcome = self.run_body(body, [].into(), arguments);
        self.keys_at_work
            .retain(|it| it.0 != item || !equal(&it.1, &key));
        let value = outcome?;
        self.keyed.push((item, key, value.clone()));
        Ok(value)
    }

    fn call_workflow(&mut self, item: ItemId, arguments: Vec<Value>) -> Flow<Value> {
        let body = self.body(item, BodyPart::Main)?;
        let modifiers = infer_item(self.db, item).modifiers.clone();
        let root = body.root;
        let mut frame = Frame::new(body, [].into(), arguments);
        self.deeper(|it| {
            it.node(|it| it.modified(&mut frame, &modifiers, |it, frame| it.run(frame, root)))
        })
    }

    pub fn run_body(
        &mut self,
        body: Arc<Body>,
        types: Rc<[Type]>,
        arguments: Vec<Value>,
    ) -> Flow<Value> {
        let root = body.root;
        let mut frame = Frame::new(body, types, arguments);
        self.deeper(|it| it.run(&mut frame, root))
    }

    /// Evaluates the code of a function: `return` ends here.
    pub fn run(&mut self, frame: &mut Frame, root: ExpressionId) -> Flow<Value> {
        match self.evaluate(frame, root) {
            Err(Stop::Return(value)) => Ok(value),
            Err(Stop::Break | Stop::Continue) => unsupported("a loop is left from outside"),
            other => other,
        }
    }

    /// An error as a value.
    pub fn error_value(raised: &Raised) -> Value {
        Value::Error(raised.item, Rc::clone(&raised.fields))
    }
}
