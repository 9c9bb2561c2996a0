//! The parameters of a runtime call, and how it returns.

/// What a call does to control flow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CallKind {
    Plain,
    /// Returns an [`crate::layout::Outcome`], and so may raise.
    Raising,
    /// Returns a status and may suspend.
    Waiting,
}

/// What a parameter is and which side owns it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Parameter {
    /// A number, of which there is no owner.
    Word,
    /// The caller stays the owner of the object.
    Borrow,
    /// The callee takes it over.
    Own,
    /// The `TypeId` of the result.
    Result,
    /// The `TypeId` of the next generic argument.
    Ty,
}
