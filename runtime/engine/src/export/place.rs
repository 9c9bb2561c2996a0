//! Runtime calls on places: parts of the value in a cell, on their way to be changed.

use gsw_abi::types::TypeId;

use crate::export::guard::calls;
use crate::run::states::{ChangedPart, length};
use crate::value::{error, list, place};

calls! {
    /// The place of the whole value of a cell.
    plain place_whole(_run, cell) {
        place::of_cell(cell)
    }

    /// Like [`place_whole`], for a `state` variable, whose observers learn the path.
    plain state_place(run, cell) {
        let whole = place::of_cell(cell);
        run.states.begin_trail(&run.progress, whole);
        whole
    }

    /// A field of the record or tuple at a place.
    raising place_field(run, place, index) {
        let part = place::field_place(&mut run.heap, place, index as usize)?;
        if run.states.has_trail() {
            run.states.follow_field(&run.heap, place, index as usize, part);
        }
        Ok(part)
    }

    /// Element i of the list at a place.
    raising place_element(run, place, index) {
        let part = place::element_place(&mut run.heap, place, index)?;
        let part = part.ok_or_else(|| {
            let length = list::len(place::get(place));
            error::no_index(&mut run.heap, index, length)
        })?;
        if run.states.has_trail() {
            run.states.follow_element(place, index, part);
        }
        Ok(part)
    }

    /// What is under a key in the map at a place.
    raising place_entry(run, place, key) {
        let part = place::entry_place(&mut run.heap, place, key)?;
        let part =
            part.ok_or_else(|| error::no_key(&mut run.heap, place::get(place), key))?;
        if run.states.has_trail() {
            let step = run.states.key_step(&run.heap, place, key);
            run.states.follow(step, part);
        }
        Ok(part)
    }

    /// `m[k] = v` of the map at a place in a cell.
    raising place_insert(run, _cell, place, key, value) {
        let step = run.states.key_step(&run.heap, place, key);
        let part = place::insert(&mut run.heap, place, key, value)?;
        run.states.follow(step, part);
        Ok(part)
    }

    /// The value at a place.
    object place_get(run, ty, place) {
        let word = place::get(place);
        run.heap.retain_typed(TypeId(ty as u32), word);
        word
    }

    /// Takes the value out of a place and leaves 0 in it.
    object place_take(_run, place) {
        let word = place::get(place);
        place::set(place, 0);
        word
    }

    /// Replaces the value at a place in a cell.
    object place_set(run, _cell, ty, place, value) {
        let old = place::get(place);
        place::set(place, value);
        run.heap.release_typed(TypeId(ty as u32), old);
        0
    }

    /// How many elements or bytes the list or string at a place has.
    plain place_length(run, ty, place) {
        length(&run.heap, TypeId(ty as u32), place::get(place)) as u64
    }

    /// The part at a place in the cell of a `state` variable has another value.
    plain state_part_set(run, cell, ty, place) {
        let part = ChangedPart {
            cell,
            ty: TypeId(ty as u32),
            place,
            from: None,
        };
        run.states.change_part(&run.heap, &mut run.progress, part);
        0
    }

    /// The list or string there has more at its end than before.
    plain state_part_append(run, cell, ty, place, from) {
        let part = ChangedPart {
            cell,
            ty: TypeId(ty as u32),
            place,
            from: Some(from as usize),
        };
        run.states.change_part(&run.heap, &mut run.progress, part);
        0
    }
}
