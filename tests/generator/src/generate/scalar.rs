//! Literals of every type, and what only numbers, strings, bools and durations have.

use crate::generate::Generator;
use crate::generate::type_choice::Ty;

const TEXTS: [&str; 12] = [
    "",
    "a",
    "b",
    "alpha",
    "x y",
    "ünïcode ✓",
    "1",
    "-42",
    "2.5",
    "line\\none",
    "a,b,c",
    "\\\"q\\\" \\$",
];

impl Generator {
    /// An int that is a likely index.
    pub(super) fn small_int(&mut self) -> String {
        (self.random.below(4)).to_string()
    }

    fn int_literal(&mut self) -> String {
        match self.random.below(12) {
            0 => "9_223_372_036_854_775_807".into(),
            1 => "(-9_223_372_036_854_775_807 - 1)".into(),
            2 => format!("(-{})", self.random.below(100)),
            3 => format!("0x{:x}", self.random.below(1 << 20)),
            4 => format!("{}", self.random.below(1 << 40)),
            _ => self.random.below(12).to_string(),
        }
    }

    fn float_literal(&mut self) -> String {
        let texts = [
            "0.0",
            "1.0",
            "0.5",
            "2.5",
            "(-1.25)",
            "1e21",
            "1e-9",
            "3.0",
            "123456.789",
            "0.1",
            "1e308",
        ];
        (*self.random.pick(&texts)).to_owned()
    }

    fn string_literal(&mut self) -> String {
        match self.random.below(20) {
            0 => return "r#\"a\\n\"${b}\"#".into(),
            1 => return "(\"\"\"\n    first\n      second ${1 + 1}\n    \"\"\")".into(),
            _ => {}
        }
        format!("\"{}\"", self.random.pick(&TEXTS))
    }

    /// A literal, of so many levels.
    pub(super) fn literal(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Int => self.int_literal(),
            Ty::Float => self.float_literal(),
            Ty::Bool => (*self.random.pick(&["true", "false"])).into(),
            Ty::Str => self.string_literal(),
            Ty::Duration => (*self.random.pick(&["0s", "250ms", "1s", "90s", "2h", "3d"])).into(),
            Ty::Optional(inside) => match self.random.below(2) {
                0 => "none".into(),
                _ => self.literal(inside, depth.saturating_sub(1)),
            },
            Ty::Mode => (*self.random.pick(&["\"fast\"", "\"slow\"", "\"off\""])).into(),
            Ty::Percent => self.random.below(101).to_string(),
            _ => self.compound_literal(ty, depth),
        }
    }

    /// What only this type has.
    pub(super) fn specific(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Int => self.int(depth),
            Ty::Float => self.float(depth),
            Ty::Bool => self.bool(depth),
            Ty::Str => self.string(depth),
            Ty::Duration => self.duration(depth),
            Ty::Mode => {
                let text = self.expression(&Ty::Str, depth - 1);
                match self.random.below(2) {
                    0 => format!("(({text}) as Mode)"),
                    _ => self.literal(ty, 0),
                }
            }
            Ty::Percent => {
                let value = self.expression(&Ty::Int, depth - 1);
                let name = self.fresh("t");
                format!("(do {{ let {name}: int = {value}; {name} }})")
            }
            _ => self.compound(ty, depth),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        let a = |it: &mut Self| it.expression(&Ty::Int, depth - 1);
        match self.random.below(16) {
            0..=5 => {
                let operator = *self.random.pick(&["+", "-", "*", "+", "-", "/", "%"]);
                format!("({} {operator} {})", a(self), a(self))
            }
            6 => format!("(-{})", self.anchored(&Ty::Int, depth - 1)),
            7 => format!("({}).abs()", a(self)),
            8 => format!("({}).min({})", a(self), a(self)),
            9 => format!("({}).clamp({}, {})", a(self), a(self), a(self)),
            10 => format!("({}).pow({})", a(self), self.small_int()),
            11 => format!("({}).to_int()", self.expression(&Ty::Float, depth - 1)),
            12 if self.declarations.has_library && self.random.one_in(2) => {
                format!("({} + 0)", self.anchored(&Ty::Percent, depth - 1))
            }
            12 => format!("({}).len()", self.expression(&Ty::Str, depth - 1)),
            13 => format!(
                "(({}).parse_int() ?? {})",
                self.expression(&Ty::Str, depth - 1),
                a(self)
            ),
            _ => self.int_of_collection(depth),
        }
    }

    fn float(&mut self, depth: usize) -> String {
        let a = |it: &mut Self| it.expression(&Ty::Float, depth - 1);
        match self.random.below(10) {
            0..=3 => {
                let operator = *self.random.pick(&["+", "-", "*", "/", "%"]);
                format!("({} {operator} {})", a(self), a(self))
            }
            4 => {
                let method = *self.random.pick(&["abs", "round", "floor", "ceil", "sqrt"]);
                format!("({}).{method}()", a(self))
            }
            5 => format!("({}).max({})", a(self), a(self)),
            6 => format!("({}).to_float()", self.expression(&Ty::Int, depth - 1)),
            7 => format!("({}).seconds()", self.expression(&Ty::Duration, depth - 1)),
            8 => format!("{}.sum()", self.anchored(&Ty::Float.list(), depth - 1)),
            _ => format!(
                "(({}).parse_float() ?? {})",
                self.expression(&Ty::Str, depth - 1),
                a(self)
            ),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        let a = |it: &mut Self| it.expression(&Ty::Bool, depth - 1);
        match self.random.below(12) {
            0 => format!("({} and {})", a(self), a(self)),
            1 => format!("({} or {})", a(self), a(self)),
            2 => format!("(not {})", a(self)),
            3..=5 => {
                let ty = self.ordered_type();
                let operator = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let left = self.anchored(&ty, depth - 1);
                format!("({left} {operator} {})", self.anchored(&ty, depth - 1))
            }
            6 | 7 => {
                let ty = self.any_type(2);
                let left = self.anchored(&ty, depth - 1);
                format!("({left} == {})", self.anchored(&ty, depth - 1))
            }
            8 => {
                let ty = self.any_type(1);
                let x = self.anchored(&ty, depth - 1);
                let operator = *self.random.pick(&["in", "not in"]);
                format!("({x} {operator} {})", self.anchored(&ty.list(), depth - 1))
            }
            9 => {
                let method = *self.random.pick(&["contains", "starts_with", "ends_with"]);
                let s = self.expression(&Ty::Str, depth - 1);
                format!("({s}).{method}({})", self.expression(&Ty::Str, depth - 1))
            }
            10 => {
                let x = self.expression(&Ty::Int, depth - 1);
                format!("({x} in {}..{})", self.small_int(), self.random.below(20))
            }
            _ => self.bool_of_collection(depth),
        }
    }

    fn string(&mut self, depth: usize) -> String {
        let a = |it: &mut Self| it.expression(&Ty::Str, depth - 1);
        match self.random.below(16) {
            13 => self.decoded(depth),
            0 | 1 => format!("({} + {})", a(self), a(self)),
            2..=4 => {
                let ty = self.any_type(2);
                let value = self.anchored(&ty, depth - 1);
                format!("\"<${{{value}}}>\"")
            }
            5 => format!("{}.to_string()", {
                let ty = self.any_type(1);
                self.anchored(&ty, depth - 1)
            }),
            6 => {
                let method = *self.random.pick(&["trim", "upper", "lower"]);
                format!("({}).{method}()", a(self))
            }
            7 => format!("({}).replace({}, {})", a(self), a(self), a(self)),
            8 => format!(
                "({}).slice({}, {})",
                a(self),
                self.small_int(),
                self.random.below(9)
            ),
            9 if self.declarations.has_library => {
                format!("({} + \"!\")", self.anchored(&Ty::Mode, depth - 1))
            }
            9 => format!("({}).repeat({})", a(self), self.small_int()),
            10 => format!(
                "({}).pad_start({}, {})",
                a(self),
                self.random.below(12),
                a(self)
            ),
            11 => format!(
                "({}).fixed({})",
                self.expression(&Ty::Float, depth - 1),
                self.small_int()
            ),
            12 => format!(
                "{}.join({})",
                self.anchored(&Ty::Str.list(), depth - 1),
                a(self)
            ),
            _ => format!("({}).reverse().join(\"\")", {
                let text = a(self);
                format!("({text}).chars()")
            }),
        }
    }

    /// A value read as one of another type, or where in it that does not fit.
    fn decoded(&mut self, depth: usize) -> String {
        let (from, to) = (self.any_type(2), self.any_type(2));
        let json = self.anchored(&from, depth - 1);
        let name = self.fresh("t");
        let (path, shown) = (self.fresh("b"), to.text(&self.declarations));
        format!(
            "(do {{ let {name}: {shown} = (({json}).to_json() as {shown}); {name}.to_string() }} catch {{ DecodeError({path}, ..) => {path} }})"
        )
    }

    fn duration(&mut self, depth: usize) -> String {
        let a = |it: &mut Self| it.expression(&Ty::Duration, depth - 1);
        match self.random.below(4) {
            0 => format!("({} + {})", a(self), a(self)),
            1 => format!("({} - {})", a(self), a(self)),
            2 => format!("({} * {})", a(self), self.expression(&Ty::Int, depth - 1)),
            _ => format!("{}.sum()", self.anchored(&Ty::Duration.list(), depth - 1)),
        }
    }
}
