//! Code that was just written is data until the processor is told. Code that is mapped from a file needs none of this: the system
//! sees to it.

/// Lets every thread of this process execute `code`, which one of them has written.
#[cfg(target_arch = "x86_64")]
pub fn publish(_code: &[u8]) {
    // This machine keeps what it executes and what it has written alike.
}

/// Lets every thread of this process execute `code`, which one of them has written.
#[cfg(target_arch = "aarch64")]
pub fn publish(code: &[u8]) {
    use rustix::thread::{MembarrierCommand, membarrier};

    write_through(code);
    // Other threads may have fetched ahead what was there before. Where the system refuses (it is older, or a container forbids the
    // call), there is what its own work on making pages executable does.
    let _ = membarrier(MembarrierCommand::RegisterPrivateExpeditedSyncCore)
        .and_then(|()| membarrier(MembarrierCommand::PrivateExpeditedSyncCore));
}

/// Writes the lines of the data cache that hold `code` to where instructions are fetched from, and drops what is stale there.
#[cfg(target_arch = "aarch64")]
fn write_through(code: &[u8]) {
    use std::arch::asm;

    let kinds: usize;
    // SAFETY: Linux lets programs read the type of the caches; nothing else is touched.
    unsafe {
        asm!("mrs {}, ctr_el0", out(reg) kinds, options(nomem, nostack, preserves_flags));
    }
    // The shortest lines of any cache, given as powers of two of words of four bytes.
    let (instructions, data) = (4 << (kinds & 0xf), 4 << (kinds >> 16 & 0xf));
    let range = code.as_ptr_range();
    let lines =
        |length: usize| (range.start.addr() & !(length - 1)..range.end.addr()).step_by(length);
    for line in lines(data) {
        // SAFETY: the line is of memory that can be read, and its content stays.
        unsafe { asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: a barrier changes nothing.
    unsafe { asm!("dsb ish", options(nostack, preserves_flags)) };
    for line in lines(instructions) {
        // SAFETY: as above; what is dropped is fetched again.
        unsafe { asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: barriers change nothing.
    unsafe { asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
}
