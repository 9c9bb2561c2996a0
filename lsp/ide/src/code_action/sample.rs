//! Made-up values of types, as a program writes them. Of a check only what a schema could express is tried, so the writer of a
//! value with a check asks the compiler whether it passes.

use gsw_abi::types::Bound;
use gsw_analysis::check_bounds;
use gsw_infer::hir::BodyPart;
use gsw_names::types::Type;
use gsw_names::{
    KnownItem, Parameter, Presence, TypeDeclarationKind, substitute, type_declaration,
};
use gsw_source::{Db, File, ItemId};

use crate::spelling::Spelling;

/// How deep a value may nest.
const DEEPEST: u32 = 4;
/// The most elements that a list or map gets.
const MOST: u64 = 8;
/// The most characters that a text is lengthened to.
const LONGEST: usize = 400;

pub struct Samples<'db> {
    db: &'db dyn Db,
    pub spelling: Spelling<'db>,
    /// Whether some value has a check.
    pub checks: Presence,
    /// The types that the value is inside of: one that holds itself has no end.
    around: Vec<Type>,
}

impl<'db> Samples<'db> {
    /// Values as `file` writes them.
    pub const fn new(db: &'db dyn Db, file: File) -> Self {
        Self {
            db,
            spelling: Spelling::new(db, file),
            checks: Presence::Absent,
            around: Vec::new(),
        }
    }

    /// A value of a type; `None` when there is no simple one.
    pub fn value(&mut self, ty: &Type) -> Option<String> {
        self.within(ty, &[], 0)
    }

    /// A value of a type within bounds, so deep in another one.
    fn within(&mut self, ty: &Type, bounds: &[Bound], depth: u32) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        Some(match ty {
            Type::Unit => "()".into(),
            Type::Bool => "true".into(),
            Type::Int => int(bounds)?.to_string(),
            Type::Float => format!("{:?}", float(bounds, 0.5)?),
            Type::String => format!("{:?}", text(bounds)?),
            Type::Duration => duration(bounds)?,
            Type::Json => "{ \"key\": 1 }".into(),
            Type::Time => "time.from_unix(0)".into(),
            Type::Bytes => "bytes.from_base64(\"dGV4dA==\")".into(),
            Type::Literals(names) => format!("{:?}", names.first()?),
            Type::Optional(_) => "none".into(),
            Type::List(inside) => self.list(inside, bounds, depth)?,
            Type::Map(key, value) if **key == Type::String => self.map(value, bounds, depth)?,
            Type::Map(..) if bounds.is_empty() => "{}".into(),
            Type::Tuple(parts) => {
                let parts = parts.iter();
                let parts: Option<Vec<String>> =
                    parts.map(|it| self.within(it, &[], depth + 1)).collect();
                format!("({})", parts?.join(", "))
            }
            Type::Record(item, parts) if KnownItem::Set.is(self.db, *item) => {
                format!("set.of([{}])", self.within(parts.first()?, &[], depth + 1)?)
            }
            Type::Record(item, types) => self.inside(ty, |it| it.record(*item, types, depth))?,
            Type::Enum(item, types) => self.inside(ty, |it| it.variant(*item, types, depth))?,
            Type::Checked(item, types) => self.inside(ty, |it| it.checked(*item, types, depth))?,
            Type::Map(..)
            | Type::Secret
            | Type::Image
            | Type::Document
            | Type::Session
            | Type::Error
            | Type::Agent
            | Type::Never
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Partial(_)
            | Type::Parameter(..)
            | Type::Variable(_)
            | Type::Text(_)
            | Type::Invalid => return None,
        })
    }

    fn list(&mut self, inside: &Type, bounds: &[Bound], depth: u32) -> Option<String> {
        let Some(element) = self.within(inside, &[], depth + 1) else {
            return may_be_empty(bounds).then(|| "[]".into());
        };
        let count = usize::try_from(length(bounds)?).ok()?;
        Some(format!("[{}]", vec![element; count].join(", ")))
    }

    /// A map from texts.
    fn map(&mut self, value: &Type, bounds: &[Bound], depth: u32) -> Option<String> {
        let Some(value) = self.within(value, &[], depth + 1) else {
            return may_be_empty(bounds).then(|| "{}".into());
        };
        let entries = (1..=length(bounds)?).map(|it| match it {
            1 => format!("\"key\": {value}"),
            other => format!("\"key{other}\": {value}"),
        });
        Some(format!("{{ {} }}", entries.collect::<Vec<_>>().join(", ")))
    }

    /// What is made of a declared type, unless that is around it already.
    fn inside(
        &mut self,
        ty: &Type,
        make: impl FnOnce(&mut Self) -> Option<String>,
    ) -> Option<String> {
        if self.around.contains(ty) {
            return None;
        }
        self.around.push(ty.clone());
        let made = make(self);
        self.around.pop();
        made
    }

    fn record(&mut self, item: ItemId, types: &[Type], depth: u32) -> Option<String> {
        let fields = type_declaration(self.db, item).declaration.fields();
        let name = self.spelling.item(item)?;
        let mut values = Vec::new();
        for (number, field) in (0..).zip(fields) {
            let is_needed =
                field.default == Presence::Absent && !matches!(field.ty, Type::Optional(_));
            if is_needed {
                let value = self.field((item, types), number, field, depth)?;
                values.push(format!("{}: {value}", field.name));
            }
        }
        Some(match values.is_empty() {
            true => format!("{name} {{}}"),
            false => format!("{name} {{ {} }}", values.join(", ")),
        })
    }

    /// A value for a field of a record with these type arguments, by its number.
    fn field(
        &mut self,
        (item, types): (ItemId, &[Type]),
        number: u32,
        field: &Parameter,
        depth: u32,
    ) -> Option<String> {
        let bounds = match field.check {
            Presence::Present => {
                self.checks = Presence::Present;
                check_bounds(self.db, item, BodyPart::FieldCheck(number))
            }
            Presence::Absent => Vec::new(),
        };
        self.within(&substitute(&field.ty, types), &bounds, depth + 1)
    }

    fn variant(&mut self, item: ItemId, types: &[Type], depth: u32) -> Option<String> {
        let variants = type_declaration(self.db, item).declaration.variants();
        let plain = variants.iter().find(|it| it.fields.is_empty());
        let variant = plain.or_else(|| variants.first())?;
        let name = self.spelling.item(item)?;
        let payload = variant.fields.iter();
        let payload: Option<Vec<String>> = payload
            .map(|it| self.within(&substitute(&it.ty, types), &[], depth + 1))
            .collect();
        Some(match payload?.join(", ") {
            none if none.is_empty() => format!("{name}.{}", variant.name),
            some => format!("{name}.{}({some})", variant.name),
        })
    }

    /// A value of an alias with a check.
    fn checked(&mut self, item: ItemId, types: &[Type], depth: u32) -> Option<String> {
        let TypeDeclarationKind::Alias { target, .. } =
            &type_declaration(self.db, item).declaration.kind
        else {
            return None;
        };
        self.checks = Presence::Present;
        let bounds = check_bounds(self.db, item, BodyPart::AliasCheck);
        self.within(&substitute(target, types), &bounds, depth + 1)
    }
}

fn int(bounds: &[Bound]) -> Option<i64> {
    let (mut least, mut most) = (i64::MIN, i64::MAX);
    for bound in bounds {
        if let Bound::MinInt(it) = bound {
            least = least.max(*it);
        } else if let Bound::MaxInt(it) = bound {
            most = most.min(*it);
        } else if let Bound::BetweenInts(from, to) = bound {
            (least, most) = (least.max(*from), most.min(*to));
        } else if let Bound::Ints(values) = bound {
            return values.first().copied();
        }
    }
    (least <= most).then(|| 1.clamp(least, most))
}

/// A number within bounds: the one that is wanted if it is, else one that is near to them.
fn float(bounds: &[Bound], wanted: f64) -> Option<f64> {
    let admits = |it: f64| {
        bounds.iter().all(|bound| match bound {
            Bound::MinFloat(least) => it >= f64::from_bits(*least),
            Bound::AboveFloat(least) => it > f64::from_bits(*least),
            Bound::MaxFloat(most) => it <= f64::from_bits(*most),
            Bound::BelowFloat(most) => it < f64::from_bits(*most),
            Bound::EqualFloat(only) => it == f64::from_bits(*only),
            Bound::MinInt(_)
            | Bound::MaxInt(_)
            | Bound::BetweenInts(..)
            | Bound::MinLength(_)
            | Bound::MaxLength(_)
            | Bound::BetweenLengths(..)
            | Bound::Pattern(_)
            | Bound::Ints(_)
            | Bound::Texts(_) => true,
        })
    };
    let limits: Vec<f64> = bounds.iter().filter_map(limit).collect();
    let near = limits.iter().flat_map(|it| [*it, it + 1.0, it - 1.0]);
    let between = limits
        .iter()
        .flat_map(|a| limits.iter().map(move |b| a / 2.0 + b / 2.0));
    let mut candidates = std::iter::once(wanted).chain(near).chain(between);
    candidates.find(|it| it.is_finite() && admits(*it))
}

/// The number of a bound on floats.
const fn limit(bound: &Bound) -> Option<f64> {
    match bound {
        Bound::MinFloat(it)
        | Bound::AboveFloat(it)
        | Bound::MaxFloat(it)
        | Bound::BelowFloat(it)
        | Bound::EqualFloat(it) => Some(f64::from_bits(*it)),
        Bound::MinInt(_)
        | Bound::MaxInt(_)
        | Bound::BetweenInts(..)
        | Bound::MinLength(_)
        | Bound::MaxLength(_)
        | Bound::BetweenLengths(..)
        | Bound::Pattern(_)
        | Bound::Ints(_)
        | Bound::Texts(_) => None,
    }
}

/// A duration within bounds, which are in seconds.
fn duration(bounds: &[Bound]) -> Option<String> {
    let seconds = float(bounds, 1.0)?;
    let milliseconds = seconds * 1000.0;
    let is_written = |it: f64| it.fract() == 0.0 && (0.0..1e12).contains(&it);
    match (is_written(seconds), is_written(milliseconds)) {
        (true, _) => Some(format!("{seconds}s")),
        (false, true) => Some(format!("{milliseconds}ms")),
        (false, false) => None,
    }
}

/// The least and the most of a length.
fn lengths(bounds: &[Bound]) -> (u64, u64) {
    let (mut least, mut most) = (0, u64::MAX);
    for bound in bounds {
        if let Bound::MinLength(it) = bound {
            least = least.max(*it);
        } else if let Bound::MaxLength(it) = bound {
            most = most.min(*it);
        } else if let Bound::BetweenLengths(from, to) = bound {
            (least, most) = (least.max(*from), most.min(*to));
        }
    }
    (least, most)
}

fn may_be_empty(bounds: &[Bound]) -> bool {
    lengths(bounds).0 == 0
}

/// How many elements a list or map gets.
fn length(bounds: &[Bound]) -> Option<u64> {
    let (least, most) = lengths(bounds);
    let wanted = least.max(1).min(most);
    (least <= wanted && wanted <= MOST).then_some(wanted)
}

/// A text that begins, continues and ends as patterns of plain letters say, as long as it must be.
fn text(bounds: &[Bound]) -> Option<String> {
    let (mut start, mut middle, mut end) = (String::new(), String::new(), String::new());
    for bound in bounds {
        if let Bound::Texts(values) = bound {
            return values.first().cloned();
        }
        let Bound::Pattern(pattern) = bound else {
            continue;
        };
        if let Some(rest) = pattern.strip_prefix('^') {
            start = unescaped(rest)?;
        } else if let Some(rest) = pattern.strip_suffix('$') {
            end = unescaped(rest)?;
        } else {
            middle.push_str(&unescaped(pattern)?);
        }
    }
    let (least, most) = lengths(bounds);
    let least = usize::try_from(least).ok().filter(|it| *it <= LONGEST)?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let own = start.chars().count() + middle.chars().count() + end.chars().count();
    if own == 0 || least > own {
        let room = most.checked_sub(own)?;
        let wanted = least.saturating_sub(own).max(4).min(room);
        middle.extend("text".chars().cycle().take(wanted));
    }
    Some(format!("{start}{middle}{end}"))
}

/// What a regular expression without signs of its own means.
fn unescaped(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut characters = pattern.chars();
    while let Some(it) = characters.next() {
        if it == '\\' {
            text.extend(characters.next().filter(|it| !it.is_alphanumeric()));
        } else if r".^$|?*+()[]{}".contains(it) {
            return None;
        } else {
            text.push(it);
        }
    }
    Some(text)
}
