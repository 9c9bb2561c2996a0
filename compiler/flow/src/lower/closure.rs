//! Function values: closures over their captures, and declarations and constructors used as values.

use gsw_abi::builtin;
use gsw_abi::program::{Colour, FunctionIndex};
use gsw_infer::hir::{BodyPart, Captured, ExpressionId, Lambda, LocalKind};
use gsw_names::substitute;
use gsw_names::types::Type;
use gsw_source::{ItemId, ItemKind};

use crate::instance::{Instance, LambdaUse};
use crate::ir::{Constant, Function, Instruction, LocalId, Operand, Terminator};
use crate::lower::Lowering;
use crate::lower::builder::Builder;
use crate::lower::emitter::Emitter;
use crate::lower::variable::Variable;
use crate::waiting::ArgumentsWait;

impl Builder<'_, '_> {
    /// A lambda with what it captures.
    pub fn closure(
        &mut self,
        expression: ExpressionId,
        position: u32,
        lambda: &Lambda,
        purpose: LambdaUse,
    ) -> Operand {
        let owner = self.owner.clone();
        let function = self.program.instance(Instance::Lambda {
            owner,
            expression,
            position,
            purpose,
        });
        self.closure_over(function, lambda)
    }

    /// The code of `instance` with what `lambda` captures.
    pub fn closure_of(&mut self, instance: Instance, lambda: &Lambda) -> Operand {
        let function = self.program.instance(instance);
        self.closure_over(function, lambda)
    }

    fn closure_over(&mut self, function: FunctionIndex, lambda: &Lambda) -> Operand {
        let captures: Vec<LocalId> = lambda
            .captures
            .iter()
            .map(|&it| match self.variables.place(it) {
                // A `var` is captured as its cell, so that closure and function see each other's assignments; everything else by value.
                Variable::Local(local) | Variable::Cell(local) => local,
            })
            .collect();
        let types = captures.iter().map(|it| self.local_type(*it)).collect();
        let ty = self.program.closure_type(types);
        // Without captures there is nothing to allocate: one object in the image serves all uses.
        if captures.is_empty() {
            return self.constant(builtin::FUNCTION, Constant::Closure { ty, function });
        }
        let to = self.local(builtin::FUNCTION);
        self.emit(Instruction::Closure {
            to,
            ty,
            function,
            captures: captures.into_iter().map(Operand::Local).collect(),
        });
        Operand::Local(to)
    }

    /// The code of a lambda: parameter 0 is the closure, which its captures are read from first.
    pub fn lambda_code(&mut self, lambda: &Lambda) {
        self.lambda_head(lambda);
        self.mark_expression(lambda.body);
        let value = self.expression(lambda.body);
        let value = self.returned(value, &self.type_of(lambda.body));
        self.end(Terminator::Return(value));
    }

    /// The parameters and captures of a lambda.
    pub fn lambda_head(&mut self, lambda: &Lambda) {
        let body = std::sync::Arc::clone(&self.body);
        let closure = self.parameter(builtin::FUNCTION, "");
        for &parameter in &lambda.parameters {
            let declared = body.local(parameter);
            let ty = self.concrete(&declared.ty);
            let ty = self.type_id(&ty);
            let local = self.parameter(ty, &declared.name);
            self.variables.bind(parameter, Variable::Local(local));
        }
        // Read once at the entry: the body uses captures like any other local, and the closure may end before the body does.
        for (index, &captured) in (0..).zip(&lambda.captures) {
            let declared = body.local(captured);
            let ty = self.concrete(&declared.ty);
            let ty = self.type_id(&ty);
            // The same question as in `statement`, where the cell is made: both must agree on what the closure holds.
            let in_cell = matches!(declared.kind, LocalKind::Var | LocalKind::State)
                && declared.captured == Captured::Yes;
            let held = if in_cell {
                self.program.types.structure(gsw_abi::types::Type::Cell(ty))
            } else {
                ty
            };
            let to = self.named_local(held, &declared.name);
            self.emit(Instruction::Capture {
                to,
                from: closure,
                index,
            });
            let variable = if in_cell {
                Variable::Cell(to)
            } else {
                Variable::Local(to)
            };
            self.variables.bind(captured, variable);
        }
    }

    /// A variant's or error's name as a function value.
    pub fn constructor_value(&mut self, id: ExpressionId, item: ItemId, variant: u32) -> Operand {
        let ty = self.type_of(id);
        let result = if let Type::Function(function) = &ty {
            function.result.clone()
        } else {
            ty
        };
        let function = self.program.instance(Instance::ConstructorValue {
            item,
            variant,
            result,
        });
        let ty = self.program.closure_type(Vec::new());
        self.constant(builtin::FUNCTION, Constant::Closure { ty, function })
    }
}

impl Emitter<'_, '_> {
    /// A declaration's name as a value.
    pub fn function_value(&mut self, item: ItemId, type_arguments: &[Type]) -> Operand {
        if item.kind(self.program.view.db()) == ItemKind::Agent {
            return Operand::Word(u64::from(self.program.agent(item)));
        }
        let type_arguments: Vec<Type> = type_arguments.iter().map(|it| self.concrete(it)).collect();
        // A function that uses itself at ever larger types would have no end of instances.
        if self.is_too_deep(item, &type_arguments) {
            return Operand::Word(0);
        }
        let function = self.program.instance(Instance::FunctionValue {
            item,
            type_arguments,
        });
        // It captures nothing, so all uses share one object of the image.
        let ty = self.program.closure_type(Vec::new());
        self.constant(builtin::FUNCTION, Constant::Closure { ty, function })
    }
}

impl Lowering<'_> {
    /// The code of a declaration that is used as a value.
    pub fn lower_function_value(
        &mut self,
        item: ItemId,
        type_arguments: &[Type],
        colour: Colour,
    ) -> Function {
        let signature = self.view.signature(item);
        let mut builder = self.builder(item, BodyPart::Main, colour);
        // The head's types are in terms of its parameters, and `concrete` reads those of the owner.
        builder.owner.type_arguments = type_arguments.to_vec();
        // The closure itself, which every function value is given first, whether or not it captures.
        builder.parameter(builtin::FUNCTION, "");
        let arguments: Vec<Operand> = signature
            .parameters
            .iter()
            .map(|it| {
                let ty = substitute(&it.ty, type_arguments);
                let ty = builder.type_id(&ty);
                Operand::Local(builder.parameter(ty, &it.name))
            })
            .collect();
        let takes_functions = signature
            .parameters
            .iter()
            .any(|it| matches!(it.ty, Type::Function(_)));
        // A caller of a function value has no instance to choose, so its code takes its function arguments as waiting.
        let waits = if takes_functions {
            ArgumentsWait::Yes
        } else {
            ArgumentsWait::No
        };
        let value = builder.call_item(item, type_arguments, arguments, waits);
        builder.end(Terminator::Return(value));
        builder.finish()
    }

    /// The code of a constructor that is used as a value.
    pub fn lower_constructor_value(
        &mut self,
        item: ItemId,
        variant: u32,
        result: &Type,
    ) -> Function {
        let is_error = item.kind(self.view.db()) == ItemKind::Error;
        let declared = if is_error {
            self.record_fields(item)
        } else {
            self.variant_fields(item, variant)
        };
        let arguments = crate::lower::pattern::type_arguments(result).to_vec();
        let mut builder = self.builder(item, BodyPart::Main, Colour::Plain);
        builder.parameter(builtin::FUNCTION, "");
        let mut given = Vec::new();
        for (index, field) in (0..).zip(&declared) {
            let ty = substitute(&field.ty, &arguments);
            let ty = builder.type_id(&ty);
            given.push((index, Operand::Local(builder.parameter(ty, &field.name))));
        }
        let value = if is_error {
            builder.error_of(item, &given)
        } else {
            builder.variant_of(result, item, variant, &given)
        };
        builder.end(Terminator::Return(value));
        builder.finish()
    }
}
