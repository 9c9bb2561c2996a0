//! Writes the image: the tables get what only code generation knows, then all sections become one file.

use gsw_abi::image::{Parts, write as write_parts};
use gsw_abi::program::Program;

use crate::constants::Constants;
use crate::error::CodegenError;
use crate::link::{Compiled, Linked};

/// The bytes of the image.
pub(crate) fn write(
    program: &Program,
    functions: &[Compiled],
    linked: &Linked,
    constants: &Constants,
) -> Result<Vec<u8>, CodegenError> {
    let mut program = program.clone();
    for (index, function) in program.functions.iter_mut().enumerate() {
        // Only code generation knows offsets, slots and what a waiting frame owns; the rest of the tables is lowering's.
        function.offset = linked.offsets[index];
        match &functions[index].plan {
            Some(plan) => {
                function.slots.clone_from(&plan.slots);
                function.owned.clone_from(&plan.owned);
            }
            None => {
                function.slots.clear();
                function.owned.clear();
            }
        }
    }
    write_parts(&Parts {
        code: &linked.code,
        constants: &constants.bytes,
        program: &program,
    })
    .map_err(|error| CodegenError::new("the tables", error.to_string()))
}
