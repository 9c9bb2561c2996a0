//! Loads an image: checks every byte and index of it, then maps its code executable and its constants readable.

mod coherence;
pub mod footer;
mod indices;
mod mapping;
pub mod plans;

use std::fs::File;
use std::sync::Arc;

use gsw_abi::image::{self, Refusal, View};
use gsw_abi::layout::FunctionEntry;
use gsw_abi::program::{Colour, Program};
use gsw_abi::types::TypeTable;

use mapping::Mapping;
use plans::{Compiler, Plans};

/// A program that is ready to run.
#[derive(Debug)]
pub struct Loaded {
    /// The tables; every index in them is in range.
    pub program: Arc<Program>,
    /// The program's types, shared with the heaps of its runs.
    pub types: Arc<TypeTable>,
    /// The sum of the image, 64 hex digits; empty for a program that has none.
    pub image: Arc<str>,
    /// One entry per function, as compiled code sees them.
    pub functions: Vec<FunctionEntry>,
    /// Compiles what its models write, where there is a compiler.
    pub plans: Option<Arc<Plans>>,
    code: Mapping,
    constants: Mapping,
}

// SAFETY: the mappings and what the entries point at are never written after loading.
unsafe impl Send for Loaded {}
// SAFETY: as above; shared reading of memory that is never written is free of races.
unsafe impl Sync for Loaded {}

/// Why a program cannot be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The image itself is refused.
    Refused(Refusal),
    /// Its sum is right but a table names something that is not there.
    Inconsistent(String),
    /// The system refused the memory or the file.
    System(std::io::Error),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Inconsistent(what) => write!(f, "this program is damaged: {what}"),
            Self::System(error) => write!(f, "the program could not be mapped: {error}"),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<Refusal> for LoadError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<std::io::Error> for LoadError {
    fn from(error: std::io::Error) -> Self {
        Self::System(error)
    }
}

impl Loaded {
    /// Loads an image that is in memory: its code is copied into fresh pages, which then become executable.
    ///
    /// # Errors
    /// When the image is refused or no memory can be mapped.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        let view = image::read(bytes)?;
        let code = Mapping::executable_copy(view.code)?;
        let constants = Mapping::readable_copy(view.constants)?;
        Self::assemble(view, code, constants)
    }

    /// Loads an image that is part of a file: its code is mapped from there, private and executable.
    ///
    /// # Errors
    /// When the image is refused or the file cannot be mapped.
    pub fn from_file(file: &File, offset: u64, length: u64) -> Result<Self, LoadError> {
        let length = usize::try_from(length).map_err(|_| Refusal::Damaged)?;
        let end = offset.checked_add(length as u64).ok_or(Refusal::Damaged)?;
        if file.metadata()?.len() < end {
            return Err(Refusal::Damaged.into());
        }
        let whole = Mapping::readable_part(file, offset, length)?;
        let view = image::read(whole.bytes())?;
        let code = Mapping::executable_part(file, offset + view.code_offset as u64, view.code)?;
        let constants = Mapping::readable_copy(view.constants)?;
        Self::assemble(view, code, constants)
    }

    /// A program whose functions are given as addresses in this process; for tests of the runtime itself.
    ///
    /// # Errors
    /// When a table names something that is not there.
    pub fn from_parts(program: Program, functions: Vec<FunctionEntry>) -> Result<Self, LoadError> {
        indices::check(&program, usize::MAX).map_err(LoadError::Inconsistent)?;
        Ok(Self {
            types: Arc::new(program.types.clone()),
            program: Arc::new(program),
            image: "".into(),
            functions,
            plans: None,
            code: Mapping::empty(),
            constants: Mapping::empty(),
        })
    }

    fn assemble(view: View<'_>, code: Mapping, constants: Mapping) -> Result<Self, LoadError> {
        let program = view.program;
        indices::check(&program, view.code.len()).map_err(LoadError::Inconsistent)?;
        let start = code.bytes().as_ptr();
        let functions = program
            .functions
            .iter()
            .map(|function| {
                let address = start.wrapping_add(function.offset as usize);
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
        Ok(Self {
            types: Arc::new(program.types.clone()),
            program: Arc::new(program),
            image: gsw_notation::hex::text(view.sum).into(),
            functions,
            plans: None,
            code,
            constants,
        })
    }

    /// Adds a compiler for the programs that its models write.
    #[must_use]
    pub fn with_compiler(self, compiler: Arc<dyn Compiler>) -> Self {
        Self {
            plans: Some(Arc::new(Plans::new(compiler))),
            ..self
        }
    }

    /// The first byte of the constants.
    #[must_use]
    pub fn constants(&self) -> *const u8 {
        self.constants.bytes().as_ptr()
    }

    /// How many bytes of machine code are mapped.
    #[must_use]
    pub fn code_size(&self) -> usize {
        self.code.bytes().len()
    }
}

#[cfg(test)]
mod tests {
    use super::{LoadError, Loaded};
    use gsw_abi::image::{Parts, write};
    use gsw_abi::program::{Colour, Function, FunctionIndex, Program};
    use gsw_abi::types::TypeId;

    fn program() -> Program {
        Program::empty("test", gsw_abi::builtin::type_table())
    }

    fn image_of(program: &Program) -> Vec<u8> {
        write(&Parts {
            code: &[0xc3; 64],
            constants: &[0; 32],
            program,
        })
        .expect("it is written")
    }

    #[test]
    fn every_flipped_or_missing_byte_is_refused() {
        let bytes = image_of(&program());
        assert!(Loaded::from_bytes(&bytes).is_ok());
        for position in (0..bytes.len())
            .step_by(37)
            .chain(0..gsw_abi::image::HEADER_SIZE)
        {
            let mut damaged = bytes.clone();
            damaged[position] ^= 0x40;
            assert!(Loaded::from_bytes(&damaged).is_err(), "byte {position}");
        }
        for length in (0..bytes.len()).step_by(101) {
            assert!(
                Loaded::from_bytes(&bytes[..length]).is_err(),
                "length {length}"
            );
        }
    }

    #[test]
    fn a_function_outside_the_code_is_refused() {
        let mut program = program();
        program.functions.push(Function {
            name: "f".into(),
            offset: 64,
            colour: Colour::Plain,
            parameters: 0,
            slots: vec![],
            owned: vec![],
        });
        assert!(matches!(
            Loaded::from_bytes(&image_of(&program)),
            Err(LoadError::Inconsistent(_))
        ));
    }

    #[test]
    fn a_workflow_of_a_missing_type_or_function_is_refused() {
        let mut program = program();
        program.workflows.push(gsw_abi::program::Workflow {
            name: "main".into(),
            docs: None,
            parameters: vec![],
            result: TypeId(100_000),
            errors: vec![],
            effects: vec![],
            acts: gsw_abi::program::Acts::Reads,
            guarded: vec![],
            function: FunctionIndex(9),
            resource: None,
        });
        assert!(Loaded::from_bytes(&image_of(&program)).is_err());
    }
}
