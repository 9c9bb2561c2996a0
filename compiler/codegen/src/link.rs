//! Places the functions one after the other and resolves the calls between them; nothing else may be relocated.

use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::ExternalName;
use cranelift_codegen::ir::function::FunctionParameters;
use cranelift_codegen::{FinalizedMachReloc, FinalizedRelocTarget};
use gsw_abi::program::{FunctionIndex, Program};

use crate::error::CodegenError;
use crate::frame::FramePlan;
use crate::routine::{self, Routine};

/// Every function starts at a multiple of this.
const ALIGNMENT: usize = 16;

/// A place in a function's code that must hold the distance to another function.
pub(crate) struct Relocation {
    offset: u32,
    kind: Call,
    target: Callee,
    addend: i64,
}

#[derive(Clone, Copy)]
enum Callee {
    Function(FunctionIndex),
    Routine(u32),
}

/// How a call is encoded.
#[derive(Clone, Copy)]
enum Call {
    /// 32 bits, in bytes, from the place itself.
    X86,
    /// The low 26 bits of the instruction, in instructions.
    Arm64,
}

/// One compiled function, not yet placed.
pub(crate) struct Compiled {
    pub(crate) code: Vec<u8>,
    pub(crate) relocations: Vec<Relocation>,
    /// Of a function that can wait.
    pub(crate) plan: Option<FramePlan>,
}

/// The code of all functions.
pub(crate) struct Linked {
    /// The section of the image.
    pub(crate) code: Vec<u8>,
    /// By function: where it starts.
    pub(crate) offsets: Vec<u64>,
}

impl Relocation {
    /// Understands what Cranelift wants resolved; anything but a call of another function of the module is refused.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "Cranelift's relocations are not ours to list; what is not known is refused"
    )]
    pub(crate) fn read(
        relocation: &FinalizedMachReloc,
        parameters: &FunctionParameters,
    ) -> Result<Self, String> {
        let kind = match relocation.kind {
            Reloc::X86CallPCRel4 => Call::X86,
            Reloc::Arm64Call => Call::Arm64,
            // A new kind means code that holds an address, which would be wrong in a mapped image: better no image than a wild jump.
            other => return Err(format!("it needs a relocation `{other}`")),
        };
        let FinalizedRelocTarget::ExternalName(ExternalName::User(name)) = relocation.target else {
            return Err(format!("it refers to {:?}", relocation.target));
        };
        let name = &parameters.user_named_funcs()[name];
        let target = match name.namespace {
            routine::NAMESPACE => Callee::Routine(name.index),
            _ => Callee::Function(FunctionIndex(name.index)),
        };
        Ok(Self {
            offset: relocation.offset,
            kind,
            target,
            addend: relocation.addend,
        })
    }

    /// Writes the distance into `code`, in which the function is at `start` and the called one at `target`.
    fn apply(&self, code: &mut [u8], start: u64, target: u64) -> Result<(), String> {
        let at = start + u64::from(self.offset);
        let distance = target.cast_signed() - at.cast_signed() + self.addend;
        let place = at as usize..at as usize + 4;
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&code[place.clone()]);
        let too_far = || "a call reaches too far".to_owned();
        let word = match self.kind {
            Call::X86 => i32::try_from(distance)
                .map_err(|_| too_far())?
                .cast_unsigned(),
            Call::Arm64 => {
                // Instructions have four bytes, and the field counts instructions: 128 megabytes either way.
                let steps = distance / 4;
                if !(-(1 << 25)..1 << 25).contains(&steps) {
                    return Err(too_far());
                }
                let low = steps as u32 & 0x03ff_ffff;
                u32::from_le_bytes(bytes) & !0x03ff_ffff | low
            }
        };
        code[place].copy_from_slice(&word.to_le_bytes());
        Ok(())
    }
}

/// Places all functions in order; the routines are the last ones.
pub(crate) fn link(functions: &[Compiled], program: &Program) -> Result<Linked, CodegenError> {
    let mut code = Vec::new();
    let mut offsets = Vec::with_capacity(functions.len());
    for function in functions {
        // Filled with zeros, which no call leads to.
        code.resize(code.len().next_multiple_of(ALIGNMENT), 0);
        offsets.push(code.len() as u64);
        code.extend_from_slice(&function.code);
    }
    // After all are placed: calls go forwards as well as backwards.
    for (index, function) in functions.iter().enumerate() {
        for relocation in &function.relocations {
            let target = match relocation.target {
                Callee::Function(function) => function.0 as usize,
                Callee::Routine(routine) => program.functions.len() + routine as usize,
            };
            relocation
                .apply(&mut code, offsets[index], offsets[target])
                .map_err(|message| CodegenError::new(name_of(index, program), message))?;
        }
    }
    Ok(Linked { code, offsets })
}

/// The name of a function or a routine by its place.
pub(crate) fn name_of(index: usize, program: &Program) -> &str {
    match program.functions.get(index) {
        Some(function) => &function.name,
        None => Routine::ALL[index - program.functions.len()].name(),
    }
}
