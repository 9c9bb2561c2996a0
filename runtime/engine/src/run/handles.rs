//! Handles of tasks, as the values that a program holds.

use gsw_abi::types::{Type, TypeId};

use crate::heap::Heap;
use crate::task::TaskId;
use crate::value::{self, list};

/// A `Task` that the program holds; the task is marked as held.
pub(crate) fn handle_of(heap: &mut Heap, task_type: TypeId, id: TaskId) -> u64 {
    let handle = heap.object(task_type, 0, 1);
    value::set_field(handle, 0, u64::from(id.0));
    handle
}

/// The task that a handle names.
pub(crate) fn task_of(handle: u64) -> TaskId {
    TaskId(value::field(handle, 0) as u32)
}

/// The task that handle number `index` of a list or tuple names.
pub(crate) fn task_in(heap: &Heap, handles: u64, index: usize) -> Option<TaskId> {
    if let Type::Tuple(parts) = heap.types().get(value::type_of(handles)) {
        return (index < parts.len()).then(|| task_of(value::field(handles, index)));
    }
    list::words(handles).get(index).map(|it| task_of(*it))
}

/// The tasks that a list or tuple of handles names.
pub(crate) fn tasks_in(heap: &Heap, handles: u64) -> Vec<TaskId> {
    if let Type::Tuple(parts) = heap.types().get(value::type_of(handles)) {
        return (0..parts.len())
            .map(|index| task_of(value::field(handles, index)))
            .collect();
    }
    list::words(handles).iter().map(|it| task_of(*it)).collect()
}

/// A list or tuple of these values, which it takes over.
pub(crate) fn list_or_tuple(heap: &mut Heap, ty: TypeId, values: &[u64]) -> u64 {
    if let Type::Tuple(parts) = heap.types().get(heap.types().base(ty)) {
        let tuple = heap.object(ty, 0, parts.len());
        for (index, &word) in values.iter().enumerate() {
            value::set_field(tuple, index, word);
        }
        return tuple;
    }
    list::new(heap, ty, values)
}
