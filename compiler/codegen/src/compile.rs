//! Compiles a module: every function for itself, on all cores, with the same bytes as result each time.

use std::sync::atomic::{AtomicUsize, Ordering};

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::{Context, FinalizedMachReloc};
use cranelift_frontend::FunctionBuilderContext;
use gsw_abi::program::{Colour, FunctionIndex, Program};
use gsw_abi::types::{CheckScope, Type};
use gsw_flow::ir::Module;

use crate::constants::Constants;
use crate::error::CodegenError;
use crate::frame::FramePlan;
use crate::function::{self, Shared};
use crate::image;
use crate::link::{Compiled, Relocation, link, name_of};
use crate::routine::{self, Routine};
use crate::target::{Targets, Verification};

/// Below this many functions another thread costs more than it gives; a guess.
const FUNCTIONS_PER_THREAD: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether Cranelift verifies its input.
    pub verification: Verification,
}

impl Default for Options {
    fn default() -> Self {
        let verification = if cfg!(debug_assertions) {
            Verification::On
        } else {
            Verification::Off
        };
        Self { verification }
    }
}

/// Compiles a module to the bytes of an image.
///
/// # Errors
/// When a function cannot be compiled, which is a bug in the compiler.
pub fn compile(module: &Module, options: &Options) -> Result<Vec<u8>, CodegenError> {
    let targets = Targets::new(options.verification)?;
    let constants = Constants::lay_out(&module.constants, &module.program.types);
    let value_checks = value_checks(&module.program);
    let shared = Shared {
        module,
        constants: &constants.offsets,
        value_checks: &value_checks,
    };
    let functions = compile_all(&shared, &targets)?;
    let linked = link(&functions, &module.program)?;
    image::write(&module.program, &functions, &linked, &constants)
}

/// The module as Cranelift's own text, before it is optimized.
///
/// # Errors
/// When Cranelift does not know this machine.
pub fn clif(module: &Module) -> Result<String, CodegenError> {
    let targets = Targets::new(Verification::Off)?;
    let constants = Constants::lay_out(&module.constants, &module.program.types);
    let value_checks = value_checks(&module.program);
    let shared = Shared {
        module,
        constants: &constants.offsets,
        value_checks: &value_checks,
    };
    let mut worker = Worker::new(&shared, &targets);
    let mut text = String::new();
    for index in 0..module.functions.len() + Routine::ALL.len() {
        worker.translate(index);
        let name = name_of(index, &module.program);
        let body = worker.context.func.display();
        text.push_str(&format!("; {index} {name}\n{body}\n"));
    }
    Ok(text)
}

fn compile_all(shared: &Shared<'_>, targets: &Targets) -> Result<Vec<Compiled>, CodegenError> {
    let count = shared.module.functions.len() + Routine::ALL.len();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // This thread is one of them, so a small program starts none.
    let threads = cores.min(count / FUNCTIONS_PER_THREAD).max(1);
    // Functions differ much in size, so threads take the next one instead of a share decided before.
    let next = AtomicUsize::new(0);
    let work = || {
        let mut worker = Worker::new(shared, targets);
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return done;
            }
            done.push((index, worker.compile(index)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        // A thread that the system does not have leaves its part to the others.
        let other = |_| std::thread::Builder::new().spawn_scoped(scope, work);
        let others: Vec<_> = (1..threads).map_while(|it| other(it).ok()).collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                // A bug in one thread ends the compilation with its own message.
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    // Which thread did what differs from run to run; the order of the functions, and which error is reported, must not.
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, compiled)| compiled).collect()
}

/// One thread's tools, reused from function to function.
struct Worker<'a> {
    shared: &'a Shared<'a>,
    targets: &'a Targets,
    context: Context,
    builders: FunctionBuilderContext,
}

impl<'a> Worker<'a> {
    fn new(shared: &'a Shared<'a>, targets: &'a Targets) -> Self {
        Self {
            shared,
            targets,
            context: Context::new(),
            builders: FunctionBuilderContext::new(),
        }
    }

    /// The functions of the module come first, then the routines.
    fn compile(&mut self, index: usize) -> Result<Compiled, CodegenError> {
        let plan = self.translate(index);
        let isa = self.isa(index);
        let name = name_of(index, &self.shared.module.program);
        let compiled = self
            .context
            .compile(isa, &mut ControlPlane::default())
            .map_err(|error| CodegenError::new(name, format!("{:?}", error.inner)))?;
        let code = compiled.code_buffer().to_vec();
        // Copied, because the names that they refer to are in the function, which shares the context with the compiled code.
        let relocations: Vec<FinalizedMachReloc> = compiled.buffer.relocs().to_vec();
        let relocations = relocations
            .iter()
            .map(|it| Relocation::read(it, &self.context.func.params))
            .collect::<Result<_, _>>()
            .map_err(|message| CodegenError::new(name, message))?;
        Ok(Compiled {
            code,
            relocations,
            plan,
        })
    }

    /// Leaves the function's Cranelift form in the context.
    fn translate(&mut self, index: usize) -> Option<FramePlan> {
        let isa = self.isa(index);
        // Cleared and not made anew: its tables keep their memory from function to function.
        self.context.clear();
        let (target, builders) = (&mut self.context.func, &mut self.builders);
        let module = self.shared.module;
        let Some(function) = module.functions.get(index) else {
            let routine = Routine::ALL[index - module.functions.len()];
            routine::translate(routine, isa, target, builders);
            return None;
        };
        let plan = match function.colour {
            Colour::Plain => None,
            Colour::Resumable => Some(FramePlan::of(function, &module.program)),
        };
        let index = FunctionIndex(index as u32);
        function::translate(self.shared, index, plan.as_ref(), isa, target, builders);
        plan
    }

    fn isa(&self, index: usize) -> &'a dyn TargetIsa {
        match self.shared.module.functions.get(index) {
            // Most functions run a few times in a workflow, so the time to compile them counts for more than their speed.
            Some(function) if !function::is_hot(function) => &*self.targets.quick,
            Some(_) | None => &*self.targets.speed,
        }
    }
}

/// By function: whether it is the check of a single value, whose second parameter, the record, is 0.
fn value_checks(program: &Program) -> Vec<bool> {
    let mut checks = vec![false; program.functions.len()];
    // The checks of aliases have no second parameter.
    let fields = program.types.types.iter().flat_map(Type::declared_fields);
    for check in fields.filter_map(|it| it.check.as_ref()) {
        if check.scope == CheckScope::Value {
            checks[check.function.0 as usize] = true;
        }
    }
    checks
}
