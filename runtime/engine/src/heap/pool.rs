//! Memory in size classes: freed blocks are kept per class, large ones go to the system; dropped as a whole.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};

use rustc_hash::FxHashMap;

/// Sizes are rounded up to multiples of this, and every block is aligned to it.
const STEP: usize = 16;
/// Larger blocks come from the system.
const LARGEST_SMALL: usize = 512;
const CLASSES: usize = LARGEST_SMALL / STEP + 1;
/// Guesses: small enough for many idle runs, large enough that busy ones seldom ask.
const FIRST_CHUNK: usize = 8 << 10;
const LARGEST_CHUNK: usize = 256 << 10;

/// Blocks of memory of one run.
#[derive(Debug)]
pub(super) struct Pool {
    /// By class: the first free block, which holds the address of the next.
    free: [*mut u8; CLASSES],
    /// The unused end of the newest chunk.
    rest: *mut u8,
    rest_bytes: usize,
    chunks: Vec<(*mut u8, usize)>,
    large: FxHashMap<usize, usize>,
    bytes: u64,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            free: [std::ptr::null_mut(); CLASSES],
            rest: std::ptr::null_mut(),
            rest_bytes: 0,
            chunks: Vec::new(),
            large: FxHashMap::default(),
            bytes: 0,
        }
    }
}

impl Pool {
    /// The bytes given out and not given back.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A block of at least `bytes` bytes.
    pub(super) fn allocate(&mut self, bytes: usize) -> *mut u8 {
        let bytes = rounded(bytes);
        self.bytes += bytes as u64;
        if bytes > LARGEST_SMALL {
            let address = system_allocate(bytes);
            self.large.insert(address as usize, bytes);
            return address;
        }
        let head = &mut self.free[bytes / STEP];
        let address = *head;
        if address.is_null() {
            return self.cut(bytes);
        }
        // SAFETY: a free block starts with the address of the next free one of its class.
        *head = unsafe { address.cast::<*mut u8>().read() };
        address
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// `address` was given out for as many `bytes` and is not used any more.
    pub(super) unsafe fn free(&mut self, address: *mut u8, bytes: usize) {
        let bytes = rounded(bytes);
        self.bytes -= bytes as u64;
        if bytes > LARGEST_SMALL {
            self.large.remove(&(address as usize));
            // SAFETY: the caller gives back what `system_allocate` made with this layout.
            unsafe { dealloc(address, layout(bytes)) };
            return;
        }
        let head = &mut self.free[bytes / STEP];
        // SAFETY: the block is at least 16 bytes long, aligned, and no longer used.
        unsafe { address.cast::<*mut u8>().write(*head) };
        *head = address;
    }

    /// A block of `new` bytes with the contents of one of `old`, which is given back.
    ///
    /// # Safety
    /// `address` was given out for `old` bytes and is not used any more.
    pub(super) unsafe fn resize(&mut self, address: *mut u8, old: usize, new: usize) -> *mut u8 {
        let (old, new) = (rounded(old), rounded(new));
        if old == new {
            return address;
        }
        if old > LARGEST_SMALL && new > LARGEST_SMALL {
            self.large.remove(&(address as usize));
            // SAFETY: `address` came from the system with this layout, and `new` is not 0.
            let moved = unsafe { realloc(address, layout(old), new) };
            if moved.is_null() {
                handle_alloc_error(layout(new));
            }
            self.large.insert(moved as usize, new);
            self.bytes = self.bytes - old as u64 + new as u64;
            return moved;
        }
        // Between two classes, or from small to large: the block is of another kind and cannot grow where it is.
        let moved = self.allocate(new);
        // SAFETY: both blocks are at least the smaller size long and do not overlap.
        unsafe {
            std::ptr::copy_nonoverlapping(address, moved, old.min(new));
            self.free(address, old);
        }
        moved
    }

    fn cut(&mut self, bytes: usize) -> *mut u8 {
        // The end of the old chunk is given up: at most 512 bytes of each, less than a list of such ends would cost.
        if self.rest_bytes < bytes {
            // Doubling, so that an idle run holds a few kilobytes and a busy one seldom asks the system.
            let size = (FIRST_CHUNK << self.chunks.len().min(8)).min(LARGEST_CHUNK);
            self.rest = system_allocate(size);
            self.rest_bytes = size;
            self.chunks.push((self.rest, size));
        }
        let address = self.rest;
        // SAFETY: the rest is at least `bytes` long, so this is inside or one past the chunk.
        self.rest = unsafe { address.add(bytes) };
        self.rest_bytes -= bytes;
        address
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let large = self
            .large
            .iter()
            .map(|(&address, &bytes)| (address as *mut u8, bytes));
        for (address, bytes) in self.chunks.iter().copied().chain(large) {
            // SAFETY: each came from `system_allocate` with this layout and is given back once.
            unsafe { dealloc(address, layout(bytes)) };
        }
    }
}

fn rounded(bytes: usize) -> usize {
    bytes.max(STEP).next_multiple_of(STEP)
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, STEP)
        .expect("callers ask for less than MAX_OBJECT, and 16 is a power of two")
}

fn system_allocate(bytes: usize) -> *mut u8 {
    let layout = layout(bytes);
    // SAFETY: no block is empty: sizes are rounded up to at least 16.
    let address = unsafe { alloc(layout) };
    if address.is_null() {
        handle_alloc_error(layout);
    }
    address
}
