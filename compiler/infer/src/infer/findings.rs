//! What inference finds out about a body besides its expressions: reports, and what its names and operators mean.

use std::collections::{BTreeMap, BTreeSet};

use gsw_source::{Diagnostic, Edit, Name, Place, Severity, Span};

use crate::hir::LocalId;
use crate::item_bodies::{GenericUse, ItemBodies, Reference, Requirement};

/// All of it, in the order in which it was found.
#[derive(Default)]
pub(super) struct Findings {
    diagnostics: Vec<Diagnostic>,
    references: Vec<(Span, Reference)>,
    generic_uses: Vec<GenericUse>,
    /// What the body asks of its own type parameters.
    requirements: Vec<(u32, Requirement, Span)>,
    /// Where a pattern names a field and binds it by that name.
    short_fields: Vec<Span>,
    /// Names that mean nothing, with their reports.
    unknown: BTreeMap<Name, usize>,
    /// Optionals for which it was reported that a test does not change their type.
    tested: BTreeSet<Name>,
}

/// How many diagnostics there were.
#[derive(Clone, Copy)]
pub(super) struct Reported(usize);

impl Findings {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Where what reads types reports to.
    pub(super) fn diagnostics_mut(&mut self) -> &mut Vec<Diagnostic> {
        &mut self.diagnostics
    }

    /// Whether a name that means nothing has been reported. What mends it there mends it here as well.
    pub(super) fn is_known_as_unknown(&mut self, name: &Name, place: Place) -> bool {
        let report = self.unknown.get(name).copied();
        let Some(report) = report.and_then(|it| self.diagnostics.get_mut(it)) else {
            return false;
        };
        if let [fix] = report.fixes.as_mut_slice()
            && let Some(first) = fix.edits.first().cloned()
            && first.place == report.place
        {
            let text = first.text;
            fix.edits.push(Edit { place, text });
        }
        true
    }

    /// Reports a name that means nothing.
    pub(super) fn report_unknown(&mut self, name: &Name, diagnostic: Diagnostic) {
        self.unknown.insert(name.clone(), self.diagnostics.len());
        self.report(diagnostic);
    }

    /// Whether it is the first time that a tested optional is used as if it were none: one report is enough for each.
    pub(super) fn tell_tested(&mut self, value: Name) -> bool {
        self.tested.insert(value)
    }

    pub(super) fn has_error(&self) -> bool {
        let mut diagnostics = self.diagnostics.iter();
        diagnostics.any(|it| it.severity == Severity::Error)
    }

    pub(super) fn reported(&self) -> Reported {
        // A position and not a count of errors, so that a rule can add notes to what its parts have reported.
        Reported(self.diagnostics.len())
    }

    /// The first error since then. A warning leaves what it is about as it is, so it must not count as one.
    pub(super) fn first_error_since(&mut self, since: Reported) -> Option<&mut Diagnostic> {
        let since = self.diagnostics.get_mut(since.0..)?;
        since.iter_mut().find(|it| it.severity == Severity::Error)
    }

    /// Notes what the name at `span` means.
    pub(super) fn refer(&mut self, span: Span, reference: Reference) {
        self.references.push((span, reference));
    }

    /// Takes back what was noted of locals that other ones replace.
    pub(super) fn forget_locals(&mut self, replaced: impl Fn(LocalId) -> bool) {
        // An editor that renames or follows a name must end up at the locals that are left.
        self.references.retain(|(_, it)| match it {
            Reference::Local { local, .. } => !replaced(*local),
            Reference::Item(_)
            | Reference::Variant { .. }
            | Reference::Field { .. }
            | Reference::Module(_) => true,
        });
    }

    pub(super) fn use_generic(&mut self, used: GenericUse) {
        self.generic_uses.push(used);
    }

    pub(super) fn generic_uses_mut(&mut self) -> impl Iterator<Item = &mut GenericUse> {
        self.generic_uses.iter_mut()
    }

    /// Notes what the body asks of its type parameter at that position.
    pub(super) fn require(&mut self, parameter: u32, requirement: Requirement, span: Span) {
        self.requirements.push((parameter, requirement, span));
    }

    pub(super) fn add_short_field(&mut self, span: Span) {
        self.short_fields.push(span);
    }

    /// Adds all of it to what is known of the item.
    pub(super) fn finish(self, found: &mut ItemBodies) {
        // Taken apart in full, so that a further kind of finding cannot be forgotten here.
        let Self {
            diagnostics,
            references,
            generic_uses,
            requirements,
            short_fields,
            unknown: _,
            tested: _,
        } = self;
        found.diagnostics.extend(diagnostics);
        found.references.extend(references);
        found.generic_uses.extend(generic_uses);
        found.requirements.extend(requirements);
        found.short_fields.extend(short_fields);
    }
}
