//! A runtime just big enough for compiled code: objects and frames that are counted, a run loop, a few rows of the table.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::AtomicPtr;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::{RuntimeCall, Table};
use gsw_abi::image;
use gsw_abi::layout::{self, Context, Frame, FunctionEntry, Header, Outcome, slot, status};
use gsw_abi::program::{Colour, FunctionIndex, Program};
use gsw_abi::types::{Type, TypeId};
use gsw_codegen::{Options, Verification, compile};
use gsw_flow::ir::Module;
use memmap2::{Mmap, MmapMut};

/// How much native stack a turn may use.
const STACK: u64 = 512 * 1024;

/// A loaded module and the state of its run. The context comes first: compiled code hands its address around.
#[repr(C)]
pub struct Machine {
    context: Context,
    pub program: Program,
    entries: Vec<FunctionEntry>,
    table: Box<[*const u8]>,
    code: Mmap,
    constants: Mmap,
    objects: HashMap<u64, Vec<u64>>,
    frames: HashMap<u64, Vec<u64>>,
    waiting: VecDeque<(*mut Frame, Outcome)>,
    pub frames_made: usize,
    /// The spans that were appended to errors.
    pub trace: Vec<u64>,
}

/// What a function ended with: a value, or the type of the error.
pub type Ended = Result<u64, TypeId>;

impl Machine {
    pub fn new(module: &Module) -> Box<Self> {
        assert_eq!(gsw_flow::verify::verify(module), Vec::<String>::new());
        let options = Options {
            verification: Verification::On,
        };
        let bytes = compile(module, &options).expect("the module compiles");
        let view = image::read(&bytes).expect("the image is intact");
        let code = map(view.code).make_exec().expect("code is mapped");
        let constants = map(view.constants).make_read_only().expect("constants");
        let entries = view
            .program
            .functions
            .iter()
            .map(|function| {
                let address = code.as_ptr().wrapping_add(function.offset as usize);
                let (plain, resume) = match function.colour {
                    Colour::Plain => (address, std::ptr::null()),
                    Colour::Resumable => (std::ptr::null(), address),
                };
                FunctionEntry {
                    plain,
                    resume,
                    slots: function.slots.len() as u32,
                    parameters: function.parameters,
                }
            })
            .collect();
        let mut machine = Box::new(Self {
            context: Context {
                table: std::ptr::null(),
                stack_limit: 0.into(),
                stop: 0.into(),
                reserved: 0,
                functions: std::ptr::null(),
                constants: constants.as_ptr(),
                run: AtomicPtr::default(),
            },
            program: view.program,
            entries,
            table: rows(),
            code,
            constants,
            objects: HashMap::new(),
            frames: HashMap::new(),
            waiting: VecDeque::new(),
            frames_made: 0,
            trace: Vec::new(),
        });
        machine.context.table = machine.table.as_ptr().cast::<Table>();
        machine.context.functions = machine.entries.as_ptr();
        assert!(!machine.code.is_empty() && machine.constants.len() < 1 << 30);
        machine
    }

    /// Compiled code sees the run stopping.
    pub fn stop(&mut self) {
        *self.context.stop.get_mut() = 1;
    }

    pub fn run(&mut self, function: FunctionIndex, arguments: &[u64]) -> Ended {
        let here = 0_u8;
        *self.context.stack_limit.get_mut() = (&raw const here) as u64 - STACK;
        let outcome = match self.program.functions[function.0 as usize].colour {
            Colour::Plain => self.call_plain(function, arguments),
            Colour::Resumable => self.call_resumable(function, arguments),
        };
        if outcome.error == 0 {
            return Ok(outcome.value);
        }
        let ty = self.ty_of(outcome.error);
        self.release(outcome.error);
        Err(ty)
    }

    /// How many objects and frames there are.
    pub fn live(&self) -> usize {
        self.objects.len() + self.frames.len()
    }

    pub fn slot(&self, frame: u64, index: usize) -> u64 {
        self.frames[&frame][4 + index]
    }

    pub fn release(&mut self, object: u64) {
        if object == 0 {
            return;
        }
        // SAFETY: objects are alive as long as they have an owner.
        let header = unsafe { &mut *(object as *mut Header) };
        if header.count & layout::IMMORTAL != 0 {
            return;
        }
        header.count -= 1;
        if header.count == 0 {
            self.free(object);
        }
    }

    fn ty_of(&self, object: u64) -> TypeId {
        // SAFETY: the object is owned by the caller.
        TypeId(unsafe { (*(object as *const Header)).ty })
    }

    fn free(&mut self, object: u64) {
        let ty = self.ty_of(object);
        let words = self
            .objects
            .remove(&object)
            .expect("an object is freed once");
        let counted: Vec<TypeId> = match self.program.types.get(ty) {
            Type::Record(record) => record.fields.iter().map(|field| field.ty).collect(),
            Type::Tuple(fields) => fields.clone(),
            Type::Cell(inner) => vec![*inner],
            Type::Closure(captures) => [gsw_abi::builtin::INT]
                .iter()
                .chain(captures)
                .copied()
                .collect(),
            _ => Vec::new(),
        };
        for (word, ty) in words[2..].iter().zip(counted) {
            if self.program.types.is_reference(ty) {
                self.release(*word);
            }
        }
    }

    fn make(&mut self, ty: u64, extra: u64, words: u64) -> u64 {
        let mut object = vec![0; 2 + words as usize];
        object[0] = 1;
        object[1] = ty | extra << 32;
        let address = object.as_ptr() as u64;
        self.objects.insert(address, object);
        address
    }

    fn make_frame(&mut self, function: u64) -> u64 {
        let slots = self.program.functions[function as usize].slots.len();
        // What slots hold before they are written must not matter.
        let mut frame = vec![0xdead_dead; 4 + slots];
        frame[0] = 0;
        frame[1] = function;
        let address = frame.as_ptr() as u64;
        self.frames.insert(address, frame);
        self.frames_made += 1;
        address
    }

    fn fault(&mut self, kind: BuiltinError) -> u64 {
        self.make(u64::from(kind.ty().0), 0, 1)
    }

    fn call_plain(&mut self, function: FunctionIndex, arguments: &[u64]) -> Outcome {
        let code = self.entries[function.0 as usize].plain;
        let context = &raw mut self.context;
        // SAFETY: the code has been compiled with so many parameters.
        unsafe {
            match *arguments {
                [] => {
                    std::mem::transmute::<*const u8, unsafe extern "C" fn(*mut Context) -> Outcome>(
                        code,
                    )(context)
                }
                [a] => std::mem::transmute::<
                    *const u8,
                    unsafe extern "C" fn(*mut Context, u64) -> Outcome,
                >(code)(context, a),
                [a, b] => std::mem::transmute::<
                    *const u8,
                    unsafe extern "C" fn(*mut Context, u64, u64) -> Outcome,
                >(code)(context, a, b),
                _ => panic!("too many arguments for these tests"),
            }
        }
    }

    fn call_resumable(&mut self, function: FunctionIndex, arguments: &[u64]) -> Outcome {
        let frame = self.make_frame(u64::from(function.0));
        for (index, argument) in arguments.iter().enumerate() {
            // SAFETY: the frame has a slot for every parameter.
            unsafe { *((frame as i64 + i64::from(slot(index))) as *mut u64) = *argument };
        }
        let mut frame = frame as *mut Frame;
        loop {
            match self.resume(frame) {
                status::WAITING => {
                    let (next, outcome) = self.waiting.pop_front().expect("something goes on");
                    frame = next;
                    set_outcome(frame, outcome);
                }
                status => {
                    // SAFETY: the frame has just ended and is freed here.
                    let ended = unsafe { std::ptr::read(frame) };
                    self.frames.remove(&(frame as u64));
                    let outcome = if status == status::DONE {
                        Outcome {
                            value: ended.value,
                            error: 0,
                        }
                    } else {
                        Outcome {
                            value: 0,
                            error: ended.error,
                        }
                    };
                    if ended.parent.is_null() {
                        return outcome;
                    }
                    frame = ended.parent;
                    set_outcome(frame, outcome);
                }
            }
        }
    }

    fn resume(&mut self, frame: *mut Frame) -> u64 {
        // SAFETY: the frame is alive; its function's code takes the context and the frame.
        unsafe {
            let code = self.entries[(*frame).function as usize].resume;
            std::mem::transmute::<*const u8, unsafe extern "C" fn(*mut Context, *mut Frame) -> u64>(
                code,
            )(&raw mut self.context, frame)
        }
    }

    /// Ends the run in the middle of a wait: gives back all that the frames own.
    pub fn drop_waiting(&mut self, function: FunctionIndex, arguments: &[u64]) -> u32 {
        let frame = self.make_frame(u64::from(function.0));
        for (index, argument) in arguments.iter().enumerate() {
            // SAFETY: the frame has a slot for every parameter.
            unsafe { *((frame as i64 + i64::from(slot(index))) as *mut u64) = *argument };
        }
        let here = 0_u8;
        *self.context.stack_limit.get_mut() = (&raw const here) as u64 - STACK;
        assert_eq!(self.resume(frame as *mut Frame), status::WAITING);
        let (mut frame, _) = self.waiting.pop_front().expect("it waits");
        let mut dropped = 0;
        while !frame.is_null() {
            // SAFETY: a waiting frame is alive and its owned slots are written.
            let (state, function, parent) =
                unsafe { ((*frame).state, (*frame).function, (*frame).parent) };
            let owned = self.program.functions[function as usize].owned[state as usize].clone();
            for index in owned {
                let address = frame as i64 + i64::from(slot(index as usize));
                // SAFETY: as above.
                let object = unsafe { *(address as *const u64) };
                self.release(object);
            }
            self.frames.remove(&(frame as u64));
            frame = parent;
            dropped += 1;
        }
        dropped
    }
}

fn set_outcome(frame: *mut Frame, outcome: Outcome) {
    // SAFETY: a waiting frame is alive.
    unsafe {
        (*frame).value = outcome.value;
        (*frame).error = outcome.error;
    }
}

fn map(bytes: &[u8]) -> MmapMut {
    let mut map = MmapMut::map_anon(bytes.len().max(1)).expect("memory");
    map[..bytes.len()].copy_from_slice(bytes);
    map
}

fn rows() -> Box<[*const u8]> {
    let mut rows = vec![missing as *const u8; RuntimeCall::ALL.len()].into_boxed_slice();
    let mut row = |call: RuntimeCall, code: *const u8| rows[call as usize] = code;
    row(RuntimeCall::object_new, object_new as *const u8);
    row(RuntimeCall::object_free, object_free as *const u8);
    row(RuntimeCall::frame_new, frame_new as *const u8);
    row(RuntimeCall::frame_free, frame_free as *const u8);
    row(RuntimeCall::fault, fault as *const u8);
    row(RuntimeCall::interrupted, interrupted as *const u8);
    row(RuntimeCall::error_trace, error_trace as *const u8);
    row(RuntimeCall::float_to_int, float_to_int as *const u8);
    row(RuntimeCall::sleep, sleep as *const u8);
    row(RuntimeCall::random_int, random_int as *const u8);
    row(RuntimeCall::time_now, time_now as *const u8);
    row(RuntimeCall::uuid, uuid as *const u8);
    rows
}

unsafe extern "C" fn missing() {
    eprintln!("a runtime call that these tests do not have");
    std::process::abort();
}

fn machine<'a>(context: *mut Context) -> &'a mut Machine {
    // SAFETY: the context is the first field of the machine that runs.
    unsafe { &mut *context.cast::<Machine>() }
}

unsafe extern "C" fn object_new(context: *mut Context, ty: u64, extra: u64, words: u64) -> u64 {
    machine(context).make(ty, extra, words)
}

unsafe extern "C" fn object_free(context: *mut Context, object: u64) -> u64 {
    machine(context).free(object);
    0
}

unsafe extern "C" fn frame_new(context: *mut Context, function: u64) -> u64 {
    machine(context).make_frame(function)
}

/// A machine that was stopped unwinds whatever asks.
unsafe extern "C" fn interrupted(context: *mut Context) -> u64 {
    // SAFETY: as for every row: the context is that of the machine that runs.
    unsafe { fault(context, BuiltinError::Unwind as u64) }
}

unsafe extern "C" fn frame_free(context: *mut Context, frame: u64) -> u64 {
    machine(context)
        .frames
        .remove(&frame)
        .expect("a frame is freed once");
    0
}

unsafe extern "C" fn fault(context: *mut Context, kind: u64) -> u64 {
    machine(context).fault(BuiltinError::ALL[kind as usize])
}

unsafe extern "C" fn error_trace(context: *mut Context, _error: u64, span: u64) -> u64 {
    machine(context).trace.push(span);
    0
}

/// One more than it is given; raises for 0.
unsafe extern "C" fn float_to_int(context: *mut Context, word: u64) -> Outcome {
    if word == 0 {
        let error = machine(context).fault(BuiltinError::Overflow);
        return Outcome { value: 0, error };
    }
    Outcome {
        value: word + 1,
        error: 0,
    }
}

/// Waits, then gives what it was given.
unsafe extern "C" fn sleep(context: *mut Context, frame: *mut Frame, word: u64) -> u64 {
    let outcome = Outcome {
        value: word,
        error: 0,
    };
    machine(context).waiting.push_back((frame, outcome));
    status::WAITING
}

/// Waits, then raises `Cancelled`.
unsafe extern "C" fn random_int(context: *mut Context, frame: *mut Frame, _: u64, _: u64) -> u64 {
    let machine = machine(context);
    let error = machine.fault(BuiltinError::Cancelled);
    machine
        .waiting
        .push_back((frame, Outcome { value: 0, error }));
    status::WAITING
}

/// Is done at once, with 42.
unsafe extern "C" fn time_now(_: *mut Context, frame: *mut Frame) -> u64 {
    // SAFETY: the frame is alive.
    unsafe { (*frame).value = 42 };
    status::DONE
}

/// Raises `OutOfMemory` at once.
unsafe extern "C" fn uuid(context: *mut Context, frame: *mut Frame) -> u64 {
    let error = machine(context).fault(BuiltinError::OutOfMemory);
    // SAFETY: the frame is alive.
    unsafe { (*frame).error = error };
    status::RAISED
}
