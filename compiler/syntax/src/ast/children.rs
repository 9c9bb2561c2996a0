//! What is directly inside a node: the one traversal of the syntax tree, for shared and for exclusive references.
//!
//! Every form names all of its parts, so that rustc points here when a form or a part is added.

/// Writes the traversal into a module, with shared references or, given `mut`, with exclusive ones.
macro_rules! traversal {
    ($module:ident, [$($derived:ident),*] $(, $mutable:tt)?) => {
        mod $module {
            use gsw_source::Name;

            use crate::ast::{
                Argument, AssertExpectation, Attribute, Block, Constant, EnumDeclaration,
                ErrorDeclaration, Expression, ExpressionKind, FieldDeclaration, FieldInit,
                Function, FunctionType, HookHandler, Identifier, Item, ItemBody, LambdaParameter, MapEntry,
                MatchArm, Modifier, ModifierKind, Parameter, Pattern, PatternField,
                PatternKind, PromptEntry, RecordDeclaration, RepeatClass, ScriptTurn, ScriptTurnKind,
                Setting, SettingValue, Signature, Statement, StatementKind, StringPart, TestRows, TypeExpression,
                TypeExpressionKind, Variant,
            };

            /// A node of the tree below items.
            #[derive($($derived),*)]
            pub enum Child<'tree> {
                Expression(&'tree $($mutable)? Expression),
                /// A statement of a block.
                Statement(&'tree $($mutable)? Statement),
                Pattern(&'tree $($mutable)? Pattern),
                Type(&'tree $($mutable)? TypeExpression),
                /// A name that is looked up: of a variable or a declaration, and of a path the first one.
                Name(&'tree $($mutable)? Name),
            }

            /// The nodes directly inside an item.
            #[must_use]
            pub fn item_children<'tree>(item: &'tree $($mutable)? Item) -> Vec<Child<'tree>> {
                let mut found = Found(Vec::new());
                found.item(item);
                found.0
            }

            /// The nodes directly inside a node; blocks, arms, modifiers and settings are looked through.
            #[must_use]
            pub fn children(node: Child<'_>) -> Vec<Child<'_>> {
                let mut found = Found(Vec::new());
                match node {
                    Child::Expression(it) => found.of_expression(it),
                    Child::Statement(it) => found.of_statement(it),
                    Child::Pattern(it) => found.of_pattern(it),
                    Child::Type(it) => found.of_type(it),
                    Child::Name(_) => {}
                }
                found.0
            }

            struct Found<'tree>(Vec<Child<'tree>>);

            impl<'tree> Found<'tree> {
                fn expression(&mut self, it: &'tree $($mutable)? Expression) {
                    self.0.push(Child::Expression(it));
                }

                fn expressions(
                    &mut self,
                    them: impl IntoIterator<Item = &'tree $($mutable)? Expression>,
                ) {
                    self.0.extend(them.into_iter().map(Child::Expression));
                }

                fn optional(&mut self, it: &'tree $($mutable)? Option<Box<Expression>>) {
                    if let Some(it) = it {
                        self.expression(it);
                    }
                }

                fn patterns(
                    &mut self,
                    them: impl IntoIterator<Item = &'tree $($mutable)? Pattern>,
                ) {
                    self.0.extend(them.into_iter().map(Child::Pattern));
                }

                fn pattern(&mut self, it: &'tree $($mutable)? Pattern) {
                    self.0.push(Child::Pattern(it));
                }

                fn name(&mut self, it: &'tree $($mutable)? Name) {
                    self.0.push(Child::Name(it));
                }

                fn path(&mut self, path: &'tree $($mutable)? [Identifier]) {
                    if let [Identifier { name, span: _ }, ..] = path {
                        self.name(name);
                    }
                }

                fn ty(&mut self, it: &'tree $($mutable)? TypeExpression) {
                    self.0.push(Child::Type(it));
                }

                fn types(
                    &mut self,
                    them: impl IntoIterator<Item = &'tree $($mutable)? TypeExpression>,
                ) {
                    self.0.extend(them.into_iter().map(Child::Type));
                }

                #[expect(
                    clippy::too_many_lines,
                    reason = "one line a form: rustc names what a new form must join"
                )]
                fn of_expression(&mut self, it: &'tree $($mutable)? Expression) {
                    use ExpressionKind as Kind;
                    let Expression { kind, span: _ } = it;
                    match kind {
                        Kind::Name(name) => self.name(name),
                        Kind::Literal(_)
                        | Kind::Unit
                        | Kind::Break
                        | Kind::Continue
                        | Kind::Invalid => {}
                        Kind::Interpolation(parts) => {
                            for part in parts {
                                match part {
                                    StringPart::Text(_) => {}
                                    StringPart::Expression(it) => self.expression(it),
                                }
                            }
                        }
                        Kind::Field { base: it, name: _, chain: _ }
                        | Kind::TupleField { base: it, index: _, index_span: _ }
                        | Kind::AllOf(it)
                        | Kind::Parenthesized(it)
                        | Kind::Unary { operator: _, operand: it }
                        | Kind::Fail(it)
                        | Kind::Emit(it)
                        | Kind::Text { role: _, text: it }
                        | Kind::Spawn(it)
                        | Kind::SpawnDetached(it)
                        | Kind::Await(it)
                        | Kind::Race { tasks: it, errors: _ }
                        | Kind::Revise(it) => self.expression(it),
                        Kind::Index { base: one, index: other }
                        | Kind::Range { start: one, end: other, range_end: _ }
                        | Kind::Binary { left: one, right: other, operator: _, operator_span: _ }
                        | Kind::By { call: one, agent: other } => {
                            self.expression(one);
                            self.expression(other);
                        }
                        Kind::List(them)
                        | Kind::Tuple(them)
                        | Kind::Parallel { branches: them, branches_span: _, errors: _ } => {
                            self.expressions(them)
                        }
                        Kind::Return(value) => self.optional(value),
                        Kind::Call { callee, arguments, arguments_span: _ } => {
                            self.expression(callee);
                            self.arguments(arguments);
                        }
                        Kind::Record { path, fields, base } => {
                            self.path(path);
                            for FieldInit { name: Identifier { name, span: _ }, value } in fields {
                                match value {
                                    Some(value) => self.expression(value),
                                    None => self.name(name),
                                }
                            }
                            self.optional(base);
                        }
                        Kind::Map(entries) => {
                            for MapEntry { key, value } in entries {
                                self.expression(key);
                                self.expression(value);
                            }
                        }
                        Kind::Lambda { parameters, body } => {
                            for LambdaParameter { pattern, ty } in parameters {
                                self.pattern(pattern);
                                self.types(ty);
                            }
                            self.expression(body);
                        }
                        Kind::As { value, ty, form: _ } => {
                            self.expression(value);
                            self.ty(ty);
                        }
                        Kind::Catch { value, arms, form: _ } | Kind::Match { value, arms } => {
                            self.expression(value);
                            self.arms(arms);
                        }
                        Kind::If { condition, then, otherwise } => {
                            self.expression(condition);
                            self.block(then);
                            self.optional(otherwise);
                        }
                        Kind::Let { pattern, value } => {
                            self.pattern(pattern);
                            self.expression(value);
                        }
                        Kind::Do(block) => self.block(block),
                        Kind::For { pattern, iterable, body } => {
                            self.pattern(pattern);
                            self.expression(iterable);
                            self.block(body);
                        }
                        Kind::While { condition, body } => {
                            self.expression(condition);
                            self.block(body);
                        }
                        Kind::ParallelFor { pattern, iterable, modifiers, body } => {
                            self.pattern(pattern);
                            self.expression(iterable);
                            self.modifiers(modifiers);
                            self.block(body);
                        }
                        Kind::Step { was, name, modifiers, body } => {
                            if let Some(was) = was {
                                self.expression(was);
                            }
                            self.expression(name);
                            self.modifiers(modifiers);
                            self.block(body);
                        }
                        Kind::Modified { modifiers, body } | Kind::Undo { modifiers, body } => {
                            self.modifiers(modifiers);
                            self.block(body);
                        }
                        Kind::Reflect { call, max, until, by } => {
                            self.expression(call);
                            self.optional(max);
                            self.optional(until);
                            self.optional(by);
                        }
                        Kind::With { call, settings } => {
                            self.expression(call);
                            self.settings(settings);
                        }
                    }
                }

                fn of_statement(&mut self, it: &'tree $($mutable)? Statement) {
                    let Statement { kind, span: _ } = it;
                    match kind {
                        StatementKind::Let { pattern, ty, value, otherwise } => {
                            self.pattern(pattern);
                            self.types(ty);
                            self.expression(value);
                            if let Some(otherwise) = otherwise {
                                self.block(otherwise);
                            }
                        }
                        StatementKind::Var { pattern, ty, value } => {
                            self.pattern(pattern);
                            self.types(ty);
                            self.expression(value);
                        }
                        StatementKind::State { name: _, ty, value } => {
                            self.ty(ty);
                            self.expression(value);
                        }
                        StatementKind::Assign { target, operator: _, value } => {
                            self.expression(target);
                            self.expression(value);
                        }
                        StatementKind::Expression(it) => self.expression(it),
                        StatementKind::Defer(block) => self.block(block),
                        StatementKind::Assert { value, expectation, message } => {
                            self.expression(value);
                            match expectation {
                                AssertExpectation::Holds => {}
                                AssertExpectation::Fails(pattern) => self.pattern(pattern),
                            }
                            self.expressions(message);
                        }
                        StatementKind::Mock { calls: _, target, arguments, rest: _, outcomes } => {
                            self.path(target);
                            self.pattern_fields(arguments);
                            self.expressions(outcomes);
                        }
                        StatementKind::MockAgent { agent, script, braces: _ } => {
                            self.path(agent);
                            for ScriptTurn { kind, span: _ } in script {
                                match kind {
                                    ScriptTurnKind::Calls(calls) => self.expressions(calls),
                                    ScriptTurnKind::Answer(value) | ScriptTurnKind::Fail(value) => self.expression(value),
                                }
                            }
                        }
                        StatementKind::Invalid => {}
                    }
                }

                fn of_pattern(&mut self, it: &'tree $($mutable)? Pattern) {
                    let Pattern { kind, span: _ } = it;
                    match kind {
                        PatternKind::Wildcard
                        | PatternKind::Binding(_)
                        | PatternKind::Literal(_)
                        | PatternKind::Range { start: _, end: _, range_end: _ }
                        | PatternKind::Invalid => {}
                        PatternKind::Variant { path, fields, rest: _ } => {
                            self.path(path);
                            if let Some(fields) = fields {
                                self.pattern_fields(fields);
                            }
                        }
                        PatternKind::Record { path, fields, rest: _ } => {
                            self.path(path);
                            self.pattern_fields(fields);
                        }
                        PatternKind::Tuple(them) | PatternKind::Or(them) => self.patterns(them),
                        PatternKind::List { before, rest: _, after } => {
                            self.patterns(before);
                            self.patterns(after);
                        }
                    }
                }

                fn pattern_fields(&mut self, them: &'tree $($mutable)? [PatternField]) {
                    for PatternField { name: _, pattern } in them {
                        self.pattern(pattern);
                    }
                }

                fn of_type(&mut self, it: &'tree $($mutable)? TypeExpression) {
                    let TypeExpression { kind, span: _ } = it;
                    match kind {
                        TypeExpressionKind::Unit
                        | TypeExpressionKind::Literal(_)
                        | TypeExpressionKind::Invalid => {}
                        TypeExpressionKind::Optional(it) | TypeExpressionKind::List(it) => {
                            self.ty(it)
                        }
                        TypeExpressionKind::Map { key, value } => {
                            self.ty(key);
                            self.ty(value);
                        }
                        TypeExpressionKind::Named { path, arguments } => {
                            self.path(path);
                            self.types(arguments);
                        }
                        TypeExpressionKind::Tuple(them)
                        | TypeExpressionKind::Union(them) => self.types(them),
                        TypeExpressionKind::Function(function) => {
                            let FunctionType { parameters, result, throws, uses: _ } = &$($mutable)? **function;
                            self.types(parameters);
                            self.types(result);
                            self.types(throws.into_iter().flatten());
                        }
                    }
                }

                fn block(&mut self, it: &'tree $($mutable)? Block) {
                    let Block { statements, span: _ } = it;
                    self.0.extend(statements.into_iter().map(Child::Statement));
                }

                fn arms(&mut self, them: &'tree $($mutable)? [MatchArm]) {
                    for MatchArm { pattern, guard, body } in them {
                        self.pattern(pattern);
                        self.expressions(guard);
                        self.expression(body);
                    }
                }

                fn arguments(&mut self, them: &'tree $($mutable)? [Argument]) {
                    for Argument { name: _, value } in them {
                        self.expression(value);
                    }
                }

                fn modifiers(&mut self, them: &'tree $($mutable)? [Modifier]) {
                    for Modifier { kind, span: _ } in them {
                        match kind {
                            ModifierKind::Timeout(it) | ModifierKind::Limit(it) => {
                                self.expression(it)
                            }
                            ModifierKind::Retry { count, backoff, max } => {
                                self.expression(count);
                                self.expressions(backoff);
                                self.expressions(max);
                            }
                            ModifierKind::Reflect { count, with } => {
                                self.expression(count);
                                self.expressions(with);
                            }
                            ModifierKind::Budget(arguments) => self.arguments(arguments),
                            ModifierKind::Errors(_) => {}
                        }
                    }
                }

                fn settings(&mut self, them: &'tree $($mutable)? [Setting]) {
                    for it in them {
                        self.setting(it);
                    }
                }

                fn setting(&mut self, it: &'tree $($mutable)? Setting) {
                    let Setting { name: _, value } = it;
                    match value {
                        SettingValue::Expression(it) => self.expression(it),
                        SettingValue::Settings { settings, span: _ } => self.settings(settings),
                    }
                }

                #[expect(
                    clippy::too_many_lines,
                    reason = "one line a form: rustc names what a new form must join"
                )]
                fn item(&mut self, it: &'tree $($mutable)? Item) {
                    let Item { docs: _, attributes, visibility: _, body, span: _ } = it;
                    self.attributes(attributes);
                    match body {
                        ItemBody::Import(_) | ItemBody::Skill { name: _ } | ItemBody::Invalid => {}
                        ItemBody::Function(Function { receiver: _, signature, body })
                        | ItemBody::Tool { signature, body } => {
                            self.signature(signature);
                            if let Some(body) = body {
                                self.block(body);
                            }
                        }
                        ItemBody::Record(RecordDeclaration { name: _, generics: _, fields }) => {
                            for field in fields {
                                self.field(field);
                            }
                        }
                        ItemBody::Alias { name: _, generics: _, target, check } => {
                            self.ty(target);
                            self.expressions(check);
                        }
                        ItemBody::Enum(EnumDeclaration { name: _, generics: _, variants }) => {
                            for Variant { docs: _, attributes, name: _, fields } in variants {
                                self.attributes(attributes);
                                self.parameters(fields);
                            }
                        }
                        ItemBody::Error(ErrorDeclaration { name: _, fields }) => {
                            self.parameters(fields)
                        }
                        ItemBody::Const(Constant { name: _, ty, value }) => {
                            self.types(ty);
                            self.expression(value);
                        }
                        ItemBody::Agent { name: _, settings }
                        | ItemBody::Permissions { settings } => self.settings(settings),
                        ItemBody::Prompt { signature, entries }
                        | ItemBody::Human { signature, entries } => {
                            self.signature(signature);
                            self.entries(entries);
                        }
                        ItemBody::External { signature } => self.signature(signature),
                        ItemBody::Workflow { signature, body } => {
                            self.signature(signature);
                            self.block(body);
                        }
                        ItemBody::Mcp { name: _, transport } => self.expression(transport),
                        ItemBody::Hook { name: _, handlers } => {
                            for HookHandler { name: _, parameters, body } in handlers {
                                self.parameters(parameters);
                                self.block(body);
                            }
                        }
                        ItemBody::Test { name: _, name_span: _, rows, pass, repeat, cassette, body } => {
                            if let Some(TestRows { pattern, rows }) = rows {
                                self.pattern(pattern);
                                self.expression(rows);
                            }
                            self.expressions(pass);
                            self.expressions(repeat);
                            self.expressions(cassette);
                            self.block(body);
                        }
                    }
                }

                fn attributes(&mut self, them: &'tree $($mutable)? [Attribute]) {
                    for Attribute { name: _, arguments, span: _ } in them {
                        self.expressions(arguments);
                    }
                }

                fn field(&mut self, it: &'tree $($mutable)? FieldDeclaration) {
                    let FieldDeclaration { docs: _, attributes, name: _, ty, default, check } = it;
                    self.attributes(attributes);
                    self.ty(ty);
                    self.expressions(default);
                    self.expressions(check);
                }

                fn parameters(&mut self, them: &'tree $($mutable)? [Parameter]) {
                    for Parameter { docs: _, attributes, name: _, ty, trusted: _, default } in them {
                        self.attributes(attributes);
                        self.types(ty);
                        self.expressions(default);
                    }
                }

                fn signature(&mut self, it: &'tree $($mutable)? Signature) {
                    let Signature {
                        name: _,
                        generics: _,
                        parameters,
                        result,
                        trusted: _,
                        throws,
                        by,
                        repeat,
                        modifiers,
                    } = it;
                    self.parameters(parameters);
                    self.types(result);
                    self.types(throws.into_iter().flatten());
                    match repeat {
                        None
                        | Some(
                            RepeatClass::Pure(_) | RepeatClass::Reads(_) | RepeatClass::Once(_),
                        ) => {}
                        Some(RepeatClass::Idempotent(key)) => self.expression(key),
                    }
                    self.expressions(by);
                    self.modifiers(modifiers);
                }

                fn entries(&mut self, them: &'tree $($mutable)? [PromptEntry]) {
                    for entry in them {
                        match entry {
                            PromptEntry::Text { role: _, text, span: _ } => self.expression(text),
                            PromptEntry::Statement(it) => self.0.push(Child::Statement(it)),
                            PromptEntry::Example { arguments, answer, span: _ } => {
                                self.arguments(arguments);
                                self.expression(answer);
                            }
                            PromptEntry::Setting(it) => self.setting(it),
                        }
                    }
                }
            }
        }
    };
}

traversal!(shared, [Clone, Copy, Debug]);
traversal!(exclusive, [Debug], mut);

pub use exclusive::{
    Child as ChildMut, children as children_mut, item_children as item_children_mut,
};
pub use shared::{Child, children, item_children};
