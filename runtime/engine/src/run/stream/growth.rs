//! What has come of an answer, as a value of the program that grows.
//!
//! The value is changed in place while it has no other owner, and copied where the program keeps an earlier part. So a piece of
//! an answer costs what it brings, as long as the program releases a part before it asks for the next one.

use gsw_abi::types::{Field, Type, TypeId, TypeTable};
use gsw_notation::json::growing::{Change, Fields, Growing, Shape};

use crate::codec::checker::Checker;
use crate::codec::decode;
use crate::compare;
use crate::heap::Heap;
use crate::value::{field, list, optional, place, set_field, string};

/// The answer of one attempt, as far as it has come.
#[derive(Debug)]
pub(super) struct Growth {
    /// The type of the whole answer.
    answer: TypeId,
    value: Value,
    text: Arriving,
}

#[derive(Debug)]
enum Arriving {
    /// The answer is the text itself.
    Plain,
    Json(Growing),
}

/// The value that grows.
#[derive(Debug)]
struct Value {
    /// A record of optional fields, or what else the answer is.
    ty: TypeId,
    /// Owned; 0 before it has begun.
    word: u64,
    /// What is open in it, outermost first: in which field, and its type.
    open: Vec<(Option<u32>, TypeId)>,
    /// The field that the next change is of.
    next: Option<u32>,
    state: State,
    /// Whether its current value has not been read.
    is_new: bool,
    /// How often it has started over.
    restarts: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Grows,
    /// An element of the open list does not fit: the list does not grow any more.
    Skips,
    /// Nothing more of the answer is read.
    Stopped,
}

impl Growth {
    /// Nothing of an answer has come of which values of the type `ty` are shown.
    pub(super) fn new(types: &TypeTable, answer: TypeId, ty: TypeId) -> Self {
        let text = match (types.get(types.base(answer)), shape(types, ty)) {
            (Type::String, Shape::Text) => Arriving::Plain,
            // A text that may be missing comes as JSON.
            (_, shape) => Arriving::Json(Growing::new(shape)),
        };
        Self {
            answer,
            value: Value::new(ty, 0),
            text,
        }
    }

    /// How often what had come was only a draft.
    pub(super) fn restarts(&self) -> u64 {
        self.value.restarts
    }

    /// Nothing of the same answer has come.
    pub(super) fn anew(&self, types: &TypeTable) -> Self {
        Self::new(types, self.answer, self.value.ty)
    }

    pub(super) fn ty(&self) -> TypeId {
        self.value.ty
    }

    /// The value, borrowed; 0 before it has begun.
    pub(super) fn word(&self) -> u64 {
        self.value.word
    }

    /// Takes the next piece of the text.
    pub(super) fn feed(&mut self, checker: &mut dyn Checker, piece: &str) {
        let value = &mut self.value;
        match &mut self.text {
            Arriving::Plain => value.extend(checker.heap(), piece),
            Arriving::Json(growing) => {
                let types = checker.heap().types().clone();
                let types = Types(&types);
                growing.feed(piece, &types, &mut |change| value.take(checker, change));
            }
        }
    }

    /// A share in the value, if its current state has not been read.
    pub(super) fn take_new(&mut self, heap: &Heap) -> Option<u64> {
        if !std::mem::take(&mut self.value.is_new) {
            return None;
        }
        heap.retain_typed(self.value.ty, self.value.word);
        Some(self.value.word)
    }

    /// The path of what is arriving.
    pub(super) fn open(&self) -> Option<String> {
        match &self.text {
            Arriving::Plain => (self.value.word != 0).then(|| "$".into()),
            Arriving::Json(growing) => growing.open(),
        }
    }

    pub(super) fn release(self, heap: &mut Heap) {
        heap.release_typed(self.value.ty, self.value.word);
    }
}

impl Value {
    fn new(ty: TypeId, restarts: u64) -> Self {
        Self {
            ty,
            word: 0,
            open: Vec::new(),
            next: None,
            state: State::Grows,
            is_new: false,
            restarts,
        }
    }

    fn take(&mut self, checker: &mut dyn Checker, change: Change<'_>) {
        if self.state == State::Stopped && change != Change::Anew {
            return;
        }
        match change {
            Change::Anew => {
                let next = Self::new(self.ty, self.restarts + u64::from(self.word != 0));
                let draft = std::mem::replace(self, next);
                checker.heap().release_typed(draft.ty, draft.word);
            }
            Change::Field(field) => self.next = Some(field),
            Change::Begin(shape) => self.begin(checker, shape),
            Change::Text(more) => self.extend_open(checker.heap(), more),
            Change::Element(text) => self.push(checker, text),
            Change::Whole(text) => self.put(checker, text),
            Change::End => {
                self.open.pop();
                self.state = State::Grows;
            }
        }
    }

    fn begin(&mut self, checker: &mut dyn Checker, shape: Shape) {
        let types = checker.heap().types().clone();
        let field = self.next.take();
        let ty = match field {
            Some(index) => self.field_of_open(&types, index).map(|it| it.ty),
            None => Some(self.ty),
        };
        let Some(ty) = ty else {
            self.state = State::Stopped;
            return;
        };
        let ty = present(&types, ty);
        let empty = match shape {
            Shape::Record(_) => {
                let fields = fields_of(&types, ty).len();
                checker.heap().object(ty, 0, fields)
            }
            Shape::List => list::new(checker.heap(), ty, &[]),
            Shape::Text | Shape::Whole => string::new(checker.heap(), ""),
        };
        self.set(checker.heap(), field, empty);
        self.open.push((field, ty));
    }

    /// Extends the text itself.
    fn extend(&mut self, heap: &mut Heap, more: &str) {
        if self.word == 0 {
            self.word = string::new(heap, "");
        }
        self.word = string::extended(heap, self.word, more);
        self.is_new = true;
    }

    fn extend_open(&mut self, heap: &mut Heap, more: &str) {
        if let Some(place) = self.place(heap, None) {
            let longer = string::extended(heap, place::get(place), more);
            place::set(place, longer);
            self.is_new = true;
        }
    }

    fn push(&mut self, checker: &mut dyn Checker, text: &str) {
        let Some(&(_, ty)) = self.open.last() else {
            return;
        };
        if self.state == State::Skips {
            return;
        }
        let element = list::element_type(checker.heap(), ty);
        // What the whole answer may still be read as, when all of it is there, is not guessed here.
        let Some(word) = decoded(checker, element, text) else {
            self.state = State::Skips;
            return;
        };
        match self.place(checker.heap(), None) {
            Some(place) => {
                let longer = list::push(checker.heap(), place::get(place), word);
                place::set(place, longer);
                self.is_new = true;
            }
            None => checker.heap().release_typed(element, word),
        }
    }

    fn put(&mut self, checker: &mut dyn Checker, text: &str) {
        let types = checker.heap().types().clone();
        let Some(index) = self.next.take() else {
            return;
        };
        let Some(ty) = self.field_of_open(&types, index).map(|it| it.ty) else {
            return;
        };
        if let Some(word) = decoded(checker, ty, text).filter(|it| *it != 0) {
            self.set(checker.heap(), Some(index), word);
        }
    }

    /// Puts what is taken over into a field of what is open, or makes it the value. A field that is there already ends the growth:
    /// nothing is taken back.
    fn set(&mut self, heap: &mut Heap, field: Option<u32>, word: u64) {
        let place = self.place(heap, field);
        match place.filter(|it| place::get(*it) == 0) {
            Some(place) => {
                place::set(place, word);
                self.is_new |= field.is_some();
            }
            None => {
                heap.release(word);
                self.state = State::Stopped;
            }
        }
    }

    /// The place of what is open, or of a field of it.
    fn place(&mut self, heap: &mut Heap, last: Option<u32>) -> Option<u64> {
        let mut place = std::ptr::from_mut(&mut self.word) as u64;
        let fields = self.open.iter().filter_map(|it| it.0).chain(last);
        for field in fields {
            match place::field_place(heap, place, field as usize) {
                Ok(inside) => place = inside,
                Err(error) => {
                    // The memory of the run is used up; it stops where it polls next.
                    heap.release(error);
                    self.state = State::Stopped;
                    return None;
                }
            }
        }
        Some(place)
    }

    fn field_of_open<'a>(&self, types: &'a TypeTable, index: u32) -> Option<&'a Field> {
        let &(_, ty) = self.open.last()?;
        fields_of(types, ty).get(index as usize)
    }
}

/// A value of this type, owned, if the text is exactly one.
fn decoded(checker: &mut dyn Checker, ty: TypeId, text: &str) -> Option<u64> {
    let tree = gsw_notation::json::parse(text).ok()?;
    decode::decode(checker, ty, &tree).ok()
}

/// The type without its `?`.
fn present(types: &TypeTable, ty: TypeId) -> TypeId {
    if let Type::Optional(of) = types.get(ty) {
        *of
    } else {
        ty
    }
}

fn fields_of(types: &TypeTable, ty: TypeId) -> &[Field] {
    if let Type::Record(record) = types.get(ty) {
        &record.fields
    } else {
        &[]
    }
}

/// What may be used of a value of this type before it is whole. The only records in here are partial ones.
fn shape(types: &TypeTable, ty: TypeId) -> Shape {
    let ty = present(types, ty);
    if let Type::String = types.get(ty) {
        Shape::Text
    } else if let Type::List(_) = types.get(ty) {
        Shape::List
    } else if let Type::Record(_) = types.get(ty) {
        Shape::Record(ty.0)
    } else {
        // Also of a type with a check, which is asked of the whole value.
        Shape::Whole
    }
}

struct Types<'a>(&'a TypeTable);

impl Fields for Types<'_> {
    fn field(&self, record: u32, name: &str) -> Option<(u32, Shape)> {
        let fields = fields_of(self.0, TypeId(record));
        let index = fields.iter().position(|it| it.wire == name)?;
        let shape = shape(self.0, fields[index].ty);
        Some((u32::try_from(index).ok()?, shape))
    }
}

/// Whether `new` has all that `old` has; both are of this type, of which only strings, lists and records may be less than whole.
pub(super) fn refines(heap: &Heap, ty: TypeId, old: u64, new: u64) -> bool {
    let types = heap.types();
    if let Type::Optional(of) = types.get(ty) {
        let inside = |word| optional::inside(heap, *of, word);
        old == 0 || (new != 0 && refines(heap, *of, inside(old), inside(new)))
    } else if let Type::String = types.get(ty) {
        string::text(new).starts_with(string::text(old))
    } else if let Type::List(of) = types.get(ty) {
        let (old, new) = (list::words(old), list::words(new));
        let mut pairs = old.iter().zip(new);
        old.len() <= new.len() && pairs.all(|(old, new)| compare::equal(heap, *of, *old, *new))
    } else if let Type::Record(record) = types.get(ty) {
        let mut fields = record.fields.iter().enumerate();
        fields.all(|(index, it)| refines(heap, it.ty, field(old, index), field(new, index)))
    } else {
        compare::equal(heap, ty, old, new)
    }
}

/// A whole answer of type `answer`, borrowed, as a value of the type `ty` of its parts, owned; nothing where it is `none`, of which
/// there are no parts.
pub(super) fn whole(
    checker: &mut dyn Checker,
    answer: TypeId,
    ty: TypeId,
    word: u64,
) -> Option<u64> {
    let types = checker.heap().types().clone();
    let Type::Optional(of) = *types.get(types.base(answer)) else {
        return Some(shown(checker, answer, ty, word));
    };
    if word == 0 {
        return None;
    }
    let inside = optional::inside(checker.heap(), of, word);
    Some(shown(checker, of, ty, inside))
}

/// A value of type `answer`, borrowed, as a value of the type `ty` that is shown of it; owned.
fn shown(checker: &mut dyn Checker, answer: TypeId, ty: TypeId, word: u64) -> u64 {
    let types = checker.heap().types().clone();
    if types.base(answer) == types.base(ty) {
        checker.heap().retain_typed(answer, word);
        return word;
    }
    partial(checker, &types, answer, ty, word)
}

/// A record with its fields as those of a record of optional ones.
fn partial(
    checker: &mut dyn Checker,
    types: &TypeTable,
    whole: TypeId,
    ty: TypeId,
    word: u64,
) -> u64 {
    let (from, to) = (fields_of(types, types.base(whole)), fields_of(types, ty));
    let made = checker.heap().object(ty, 0, to.len());
    for (index, (from, to)) in from.iter().zip(to).enumerate() {
        let mut value = field(word, index);
        let (mut inner, part) = (types.base(from.ty), present(types, to.ty));
        if let Type::Optional(of) = *types.get(inner) {
            if value == 0 {
                continue;
            }
            value = optional::inside(checker.heap(), of, value);
            inner = types.base(of);
        }
        let value = shown(checker, inner, part, value);
        let value = optional::some(checker.heap(), to.ty, value);
        set_field(made, index, value);
    }
    made
}
