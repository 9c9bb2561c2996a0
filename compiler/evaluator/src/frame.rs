//! The locals of one activation of a body or lambda.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use gsw_infer::hir::{Body, Lambda, LocalId};
use gsw_names::substitute;
use gsw_names::types::Type;

use crate::stop::{Flow, unsupported};
use crate::value::{Cell, Closure, Value};

/// The locals of one activation.
#[derive(Debug)]
pub struct Frame {
    pub body: Arc<Body>,
    /// What the body's type parameters stand for.
    pub types: Rc<[Type]>,
    cells: Vec<Option<Cell>>,
}

impl Frame {
    /// An activation of a whole body.
    pub fn new(body: Arc<Body>, types: Rc<[Type]>, arguments: Vec<Value>) -> Self {
        let cells = vec![None; body.locals.len()];
        let parameters = body.parameters.clone();
        let mut frame = Self { body, types, cells };
        for (local, value) in parameters.into_iter().zip(arguments) {
            frame.bind(local, value);
        }
        frame
    }

    /// An activation of a lambda.
    pub fn of_closure(closure: &Closure, arguments: Vec<Value>) -> Self {
        let mut frame = Self::new(
            Arc::clone(&closure.body),
            Rc::clone(&closure.types),
            Vec::new(),
        );
        for (local, cell) in &closure.captured {
            frame.cells[local.0 as usize] = Some(Rc::clone(cell));
        }
        for (local, value) in closure.parameters.iter().zip(arguments) {
            frame.bind(*local, value);
        }
        frame
    }

    /// Makes a fresh variable for `local`.
    pub fn bind(&mut self, local: LocalId, value: Value) {
        self.cells[local.0 as usize] = Some(Rc::new(RefCell::new(value)));
    }

    /// The value of a local.
    pub fn get(&self, local: LocalId) -> Flow<Value> {
        match &self.cells[local.0 as usize] {
            Some(cell) => Ok(cell.borrow().clone()),
            None => unsupported(format!(
                "`{}` is read before it is bound",
                self.body.local(local).name
            )),
        }
    }

    pub fn set(&self, local: LocalId, value: Value) -> Flow<()> {
        match &self.cells[local.0 as usize] {
            Some(cell) => {
                cell.replace(value);
                Ok(())
            }
            None => unsupported(format!(
                "`{}` is set before it is bound",
                self.body.local(local).name
            )),
        }
    }

    /// A lambda of this body with what it captures.
    pub fn closure(&self, lambda: &Lambda) -> Closure {
        let captured = lambda.captures.iter().filter_map(|local| {
            let cell = self.cells[local.0 as usize].as_ref()?;
            Some((*local, Rc::clone(cell)))
        });
        Closure {
            body: Arc::clone(&self.body),
            parameters: lambda.parameters.clone(),
            root: lambda.body,
            captured: captured.collect(),
            types: Rc::clone(&self.types),
        }
    }

    /// A type of the body without its type parameters.
    pub fn concrete(&self, ty: &Type) -> Type {
        substitute(ty, &self.types)
    }
}
