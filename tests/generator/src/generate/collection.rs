//! What lists, maps, tuples, optionals, records and enums have.

use crate::generate::Generator;
use crate::generate::declaration::Field;
use crate::generate::type_choice::Ty;

impl Generator {
    /// A literal of a type with parts.
    pub(super) fn compound_literal(&mut self, ty: &Ty, depth: usize) -> String {
        let below = depth.saturating_sub(1);
        let count = if depth == 0 { 0 } else { self.random.below(4) };
        match ty {
            Ty::List(of) => {
                let elements: Vec<String> = (0..count).map(|_| self.literal(of, below)).collect();
                format!("[{}]", elements.join(", "))
            }
            Ty::Map(key, of) => {
                let entry =
                    |it: &mut Self| format!("({}): {}", it.literal(key, 0), it.literal(of, below));
                let entries: Vec<String> = (0..count).map(|_| entry(self)).collect();
                format!("({{ {} }})", entries.join(", "))
            }
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|it| self.literal(it, below)).collect();
                format!("({})", parts.join(", "))
            }
            // The simplest literal is what is left when all else fails, so it breaks no check.
            Ty::Record(index) => self.record_literal(*index, |it, field| match depth {
                0 if field.has_check => it.small_int(),
                _ => it.literal(&field.ty, below),
            }),
            Ty::Enum(index) => self.variant(*index, depth, |it, ty| it.literal(ty, below)),
            Ty::Crate(of) => format!("(Crate {{ value: {} }})", self.literal(of, below)),
            Ty::Tree(_) => "Leaf".into(),
            _ => "(json.parse(\"[1, 2.5, {\\\"a\\\": null}]\"))".into(),
        }
    }

    /// A record literal; fields with defaults are now and then left out, the order is any.
    fn record_literal(
        &mut self,
        index: usize,
        mut value: impl FnMut(&mut Self, &Field) -> String,
    ) -> String {
        let mut fields = self.declarations.records[index].fields.clone();
        self.random.shuffle(&mut fields);
        let mut texts = Vec::new();
        for field in &fields {
            if field.has_default && self.random.one_in(2) {
                continue;
            }
            let value = value(self, field);
            texts.push(format!("{}: {}", field.name, self.computed(field, value)));
        }
        format!(
            "({} {{ {} }})",
            self.declarations.records[index].name,
            texts.join(", ")
        )
    }

    /// A record of which some parts have grown, and others are read before and after them.
    fn grown(&mut self, index: usize, depth: usize) -> String {
        let base = self.anchored(&Ty::Record(index), depth - 1);
        let it = self.fresh("r");
        let mut fields = self.declarations.records[index].fields.clone();
        self.random.shuffle(&mut fields);
        let mut texts = Vec::new();
        for Field { name, ty, .. } in &fields {
            if matches!(ty, Ty::Str | Ty::List(_)) && !self.random.one_in(3) {
                // Numbers of a literal are none of a type with a check, where a list is added to.
                let more = self.anchored(ty, depth - 1);
                texts.push(format!("{name}: {it}.{name} + {more}"));
            } else if self.random.one_in(2) {
                texts.push(format!("{name}: {it}.{name}"));
            }
        }
        texts.push(format!("..{it}"));
        let name = &self.declarations.records[index].name;
        let parts = texts.join(", ");
        format!("(do {{ let {it}: {name} = {base}; {name} {{ {parts} }} }})")
    }

    /// A value for a field that is no constant where those are checked before the program runs.
    fn computed(&mut self, field: &Field, value: String) -> String {
        if !field.has_check {
            return value;
        }
        let name = self.fresh("t");
        format!("(do {{ let {name}: int = {value}; {name} }})")
    }

    fn variant(
        &mut self,
        index: usize,
        depth: usize,
        mut value: impl FnMut(&mut Self, &Ty) -> String,
    ) -> String {
        let variants = self.declarations.enums[index].variants.clone();
        let (name, fields) = match depth {
            0 => variants[0].clone(),
            _ => self.random.pick(&variants).clone(),
        };
        if fields.is_empty() {
            return if self.random.one_in(3) {
                format!("{}.{name}", self.declarations.enums[index].name)
            } else {
                name
            };
        }
        let by_name = self.random.one_in(2);
        let fields: Vec<String> = fields
            .iter()
            .map(|(field, ty)| match by_name {
                true => format!("{field}: {}", value(self, ty)),
                false => value(self, ty),
            })
            .collect();
        format!("{name}({})", fields.join(", "))
    }

    /// What only a type with parts has.
    pub(super) fn compound(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Optional(inside) => self.optional(inside, depth),
            Ty::List(of) => self.list(of, depth),
            Ty::Map(key, of) => self.map(key, of, depth),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|it| self.expression(it, depth - 1))
                    .collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(index) => {
                if self.random.one_in(4) {
                    return self.grown(*index, depth);
                }
                if self.random.one_in(3) {
                    let base = self.anchored(ty, depth - 1);
                    let field = self
                        .random
                        .below(self.declarations.records[*index].fields.len());
                    let field = self.declarations.records[*index].fields[field].clone();
                    let value = self.expression(&field.ty, depth - 1);
                    let value = self.computed(&field, value);
                    let name = &self.declarations.records[*index].name;
                    return format!("({name} {{ {}: {value}, ..{base} }})", field.name);
                }
                self.record_literal(*index, |it, field| it.expression(&field.ty, depth - 1))
            }
            Ty::Enum(index) => self.variant(*index, depth, |it, ty| it.expression(ty, depth - 1)),
            Ty::Crate(of) => {
                let value = self.expression(of, depth - 1);
                let marks = self.expression(&Ty::Str.list(), depth - 1);
                format!("(Crate {{ value: {value}, marks: {marks} }})")
            }
            Ty::Tree(of) => {
                let xs = self.anchored(&of.clone().list(), depth - 1);
                let name = self.fresh("t");
                let ty = ty.text(&self.declarations);
                let element = of.text(&self.declarations);
                format!(
                    "(do {{ let {name}: {ty} = Leaf; {xs}.fold({name}, (t: {ty}, x: {element}) => insert(t, x)) }})"
                )
            }
            _ => self.json(depth),
        }
    }

    fn json(&mut self, depth: usize) -> String {
        let j = |it: &mut Self| it.anchored(&Ty::Json, depth - 1);
        match self.random.below(6) {
            0 => {
                let (a, b) = (self.any_type(1), self.any_type(1));
                let (a, b) = (self.anchored(&a, depth - 1), self.anchored(&b, depth - 1));
                let name = self.fresh("t");
                format!(
                    "(do {{ let {name}: json = ({{ \"a\": {a}, \"b\": [{b}, none] }}); {name} }})"
                )
            }
            1 => format!("{}[{}]", j(self), self.small_int()),
            2 => format!("{}.a", j(self)),
            3 => format!("({}.get(\"a\") ?? {})", j(self), j(self)),
            _ => {
                let ty = self.any_type(2);
                format!("({}).to_json()", self.anchored(&ty, depth - 1))
            }
        }
    }

    fn optional(&mut self, inside: &Ty, depth: usize) -> String {
        let ty = inside.clone().optional();
        match self.random.below(10) {
            0 => format!(
                "{}.first()",
                self.anchored(&inside.clone().list(), depth - 1)
            ),
            1 => format!(
                "{}.get({})",
                self.anchored(&inside.clone().list(), depth - 1),
                self.small_int()
            ),
            2 => {
                let key = self.key_type();
                let map = Ty::Map(Box::new(key.clone()), Box::new(inside.clone()));
                format!(
                    "{}.get({})",
                    self.anchored(&map, depth - 1),
                    self.leaf(&key)
                )
            }
            3 => {
                let xs = self.anchored(&inside.clone().list(), depth - 1);
                let f = self.lambda(std::slice::from_ref(inside), &Ty::Bool, depth - 1);
                format!("{xs}.find({f})")
            }
            4 => {
                let from = self.scalar_type();
                let x = self.anchored(&from.clone().optional(), depth - 1);
                let f = self.function_value(&[from], inside, depth - 1);
                format!("{x}.map({f})")
            }
            5 if inside.is_ordered(&self.declarations) && !matches!(inside, Ty::Optional(_)) => {
                let method = *self.random.pick(&["min", "max", "last"]);
                format!(
                    "{}.{method}()",
                    self.anchored(&inside.clone().list(), depth - 1)
                )
            }
            6 => format!(
                "({} ?? {})",
                self.anchored(&ty, depth - 1),
                self.anchored(&ty, depth - 1)
            ),
            7 => self.chain(inside, depth),
            _ => self.expression(inside, depth - 1),
        }
    }

    /// A field of a record that may be absent.
    fn chain(&mut self, inside: &Ty, depth: usize) -> String {
        let ty = inside.clone().optional();
        let mut found = Vec::new();
        for (index, record) in self.declarations.records.iter().enumerate() {
            let fields = record
                .fields
                .iter()
                .filter(|it| it.ty == *inside || it.ty == ty);
            found.extend(fields.map(|it| (index, it.name.clone())));
        }
        if found.is_empty() {
            return self.expression(inside, depth - 1);
        }
        let (record, field) = self.random.pick(&found).clone();
        format!(
            "{}?.{field}",
            self.anchored(&Ty::Record(record).optional(), depth - 1)
        )
    }

    fn list(&mut self, of: &Ty, depth: usize) -> String {
        let ty = of.clone().list();
        let xs = self.anchored(&ty, depth - 1);
        match self.random.below(16) {
            0 | 1 => {
                let count = self.random.below(4);
                let elements: Vec<String> =
                    (0..count).map(|_| self.expression(of, depth - 1)).collect();
                format!("[{}]", elements.join(", "))
            }
            2 => format!("({xs} + {})", self.anchored(&ty, depth - 1)),
            3 => {
                let f = self.function_value(std::slice::from_ref(of), &Ty::Bool, depth - 1);
                format!("{xs}.filter({f})")
            }
            4 | 5 => {
                let from = self.any_type(1);
                let ys = self.anchored(&from.clone().list(), depth - 1);
                let f = self.function_value(&[from], of, depth - 1);
                format!("{ys}.map({f})")
            }
            6 => {
                let from = self.scalar_type();
                let ys = self.anchored(&from.clone().list(), depth - 1);
                let f = self.lambda(&[from], &ty, depth - 1);
                format!("{ys}.flat_map({f})")
            }
            7 => format!("{xs}.reverse()"),
            8 => format!("{xs}.unique()"),
            9 => format!(
                "{xs}.take({}).drop({})",
                self.random.below(5),
                self.small_int()
            ),
            10 if of.is_ordered(&self.declarations) => {
                format!("{xs}.{}()", self.random.pick(&["sort", "sort_desc"]))
            }
            11 => {
                let key = self.ordered_type();
                let f = self.lambda(std::slice::from_ref(of), &key, depth - 1);
                format!(
                    "{xs}.{}({f})",
                    self.random.pick(&["sort_by", "sort_by_desc"])
                )
            }
            12 => format!("{xs}.chunks({}).flatten()", self.random.below(4)),
            13 if *of == Ty::Int => format!("({}..{})", self.small_int(), self.random.below(8)),
            14 => {
                let f = self.lambda(std::slice::from_ref(of), &Ty::Bool, depth - 1);
                format!("{xs}.partition({f}).{}", self.random.below(2))
            }
            _ => self.list_of_other(of, xs, depth),
        }
    }

    fn list_of_other(&mut self, of: &Ty, xs: String, depth: usize) -> String {
        match of {
            Ty::Str => {
                let text = self.expression(&Ty::Str, depth - 1);
                let separator = self.literal(&Ty::Str, 0);
                let method = *self
                    .random
                    .pick(&["chars()", "words()", "lines()", "split(,)"]);
                format!("({text}).{}", method.replace(',', &separator))
            }
            Ty::Tuple(parts) if parts.len() == 2 => {
                let a = self.anchored(&parts[0].clone().list(), depth - 1);
                format!(
                    "{a}.zip({})",
                    self.anchored(&parts[1].clone().list(), depth - 1)
                )
            }
            Ty::List(inner) => {
                let ys = self.anchored(&(**inner).clone().list(), depth - 1);
                format!("{ys}.windows({})", 1 + self.random.below(3))
            }
            _ => format!("{xs}.slice({}, {})", self.small_int(), self.random.below(6)),
        }
    }

    fn map(&mut self, key: &Ty, of: &Ty, depth: usize) -> String {
        let ty = Ty::Map(Box::new(key.clone()), Box::new(of.clone()));
        let m = self.anchored(&ty, depth - 1);
        match self.random.below(7) {
            0 | 1 => {
                let k = self.expression(key, depth - 1);
                format!("{m}.insert({k}, {})", self.expression(of, depth - 1))
            }
            2 => format!("{m}.remove({})", self.leaf(key)),
            3 => format!("{m}.merge({})", self.anchored(&ty, depth - 1)),
            4 => {
                let f = self.lambda(&[key.clone(), of.clone()], &Ty::Bool, depth - 1);
                format!("{m}.filter({f})")
            }
            5 => {
                let f = self.lambda(std::slice::from_ref(of), of, depth - 1);
                format!("{m}.map_values({f})")
            }
            _ => {
                let pairs =
                    self.anchored(&Ty::Tuple(vec![key.clone(), of.clone()]).list(), depth - 1);
                format!("{pairs}.to_map()")
            }
        }
    }

    /// An int that is read from a collection.
    pub(super) fn int_of_collection(&mut self, depth: usize) -> String {
        let of = self.any_type(1);
        let xs = self.anchored(&of.clone().list(), depth - 1);
        match self.random.below(6) {
            0 => format!("{xs}.len()"),
            1 => format!("{}.sum()", self.anchored(&Ty::Int.list(), depth - 1)),
            2 => format!("{xs}.count({})", self.lambda(&[of], &Ty::Bool, depth - 1)),
            3 => {
                let init = self.expression(&Ty::Int, depth - 1);
                let f = self.lambda(&[Ty::Int, of], &Ty::Int, depth - 1);
                format!("{xs}.fold({init}, {f})")
            }
            4 => format!("({xs}.index_of({}) ?? -1)", self.anchored(&of, depth - 1)),
            _ => format!("{xs}.sum_by({})", self.lambda(&[of], &Ty::Int, depth - 1)),
        }
    }

    /// A bool that is read from a collection.
    pub(super) fn bool_of_collection(&mut self, depth: usize) -> String {
        let of = self.scalar_type();
        match self.random.below(4) {
            0 => {
                let xs = self.anchored(&of.clone().list(), depth - 1);
                let method = *self.random.pick(&["any", "all"]);
                format!(
                    "{xs}.{method}({})",
                    self.lambda(&[of], &Ty::Bool, depth - 1)
                )
            }
            1 => format!("{}.is_empty()", self.anchored(&of.list(), depth - 1)),
            2 => format!("{}.is_some()", self.anchored(&of.optional(), depth - 1)),
            _ => {
                let key = self.key_type();
                let m = self.anchored(&Ty::Map(Box::new(key.clone()), Box::new(of)), depth - 1);
                format!("{m}.has({})", self.leaf(&key))
            }
        }
    }
}
