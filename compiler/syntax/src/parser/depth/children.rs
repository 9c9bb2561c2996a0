//! The expressions directly inside an item or an expression.

use crate::ast::{
    Argument, Block, Expression, ExpressionKind, FieldDeclaration, HookHandler, Item, ItemBody,
    MatchArm, MockOutcome, Modifier, ModifierKind, Parameter, PromptEntry, RepeatClass, Setting,
    SettingValue, Signature, StatementKind, StringPart, Variant,
};

type Found<'tree> = Vec<&'tree mut Expression>;

/// Collects the outermost expressions of an item.
pub(super) fn roots_of<'tree>(item: &'tree mut Item, found: &mut Found<'tree>) {
    for attribute in &mut item.attributes {
        found.extend(&mut attribute.arguments);
    }
    match &mut item.body {
        ItemBody::Function(function) => {
            of_signature(&mut function.signature, found);
            if let Some(body) = &mut function.body {
                of_block(body, found);
            }
        }
        ItemBody::Record(record) => {
            for FieldDeclaration { default, check, .. } in &mut record.fields {
                found.extend(default.as_mut().into_iter().chain(check));
            }
        }
        ItemBody::Alias { check, .. } => found.extend(check),
        ItemBody::Enum(declaration) => {
            for Variant { fields, .. } in &mut declaration.variants {
                of_parameters(fields, found);
            }
        }
        ItemBody::Error(error) => of_parameters(&mut error.fields, found),
        ItemBody::Const(constant) => found.push(&mut constant.value),
        ItemBody::Agent { settings, .. } | ItemBody::Permissions { settings } => {
            of_settings(settings, found);
        }
        ItemBody::Prompt { signature, entries } | ItemBody::Human { signature, entries } => {
            of_signature(signature, found);
            of_entries(entries, found);
        }
        ItemBody::Workflow { signature, body } => {
            of_signature(signature, found);
            of_block(body, found);
        }
        ItemBody::Tool { signature, body } => {
            of_signature(signature, found);
            if let Some(body) = body {
                of_block(body, found);
            }
        }
        ItemBody::Mcp { transport, .. } => found.push(transport),
        ItemBody::Hook { handlers, .. } => {
            for HookHandler { body, .. } in handlers {
                of_block(body, found);
            }
        }
        ItemBody::Test { cassette, body, .. } => {
            found.extend(cassette);
            of_block(body, found);
        }
        ItemBody::Import(_) | ItemBody::Skill { .. } | ItemBody::Invalid => {}
    }
}

/// Collects the expressions directly inside an expression.
pub(super) fn expressions_of<'tree>(kind: &'tree mut ExpressionKind, found: &mut Found<'tree>) {
    match kind {
        ExpressionKind::Literal(_)
        | ExpressionKind::Name(_)
        | ExpressionKind::Unit
        | ExpressionKind::Break
        | ExpressionKind::Continue
        | ExpressionKind::Invalid => {}
        ExpressionKind::Interpolation(parts) => {
            found.extend(parts.iter_mut().filter_map(|part| match part {
                StringPart::Expression(expression) => Some(expression),
                StringPart::Text(_) => None,
            }));
        }
        ExpressionKind::Field { base: inner, .. }
        | ExpressionKind::TupleField { base: inner, .. }
        | ExpressionKind::AllOf(inner)
        | ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Lambda { body: inner, .. }
        | ExpressionKind::Unary { operand: inner, .. }
        | ExpressionKind::As { value: inner, .. }
        | ExpressionKind::Fail(inner)
        | ExpressionKind::Emit(inner)
        | ExpressionKind::Spawn(inner)
        | ExpressionKind::SpawnDetached(inner)
        | ExpressionKind::Await(inner)
        | ExpressionKind::Race(inner)
        | ExpressionKind::Revise(inner) => found.push(inner),
        ExpressionKind::Index {
            base: left,
            index: right,
        }
        | ExpressionKind::Range {
            start: left,
            end: right,
            ..
        }
        | ExpressionKind::Binary { left, right, .. }
        | ExpressionKind::By {
            call: left,
            agent: right,
        } => {
            found.push(left);
            found.push(right);
        }
        ExpressionKind::List(elements)
        | ExpressionKind::Tuple(elements)
        | ExpressionKind::Parallel(elements) => found.extend(elements),
        ExpressionKind::Return(value) => found.extend(value.as_deref_mut()),
        _ => of_compound(kind, found),
    }
}

/// The same for the forms with several sorts of parts.
fn of_compound<'tree>(kind: &'tree mut ExpressionKind, found: &mut Found<'tree>) {
    match kind {
        ExpressionKind::Call {
            callee, arguments, ..
        } => {
            found.push(callee);
            of_arguments(arguments, found);
        }
        ExpressionKind::Record { fields, base, .. } => {
            found.extend(fields.iter_mut().filter_map(|field| field.value.as_mut()));
            found.extend(base.as_deref_mut());
        }
        ExpressionKind::Map(entries) => {
            for entry in entries {
                found.push(&mut entry.key);
                found.push(&mut entry.value);
            }
        }
        ExpressionKind::Catch { value, arms } | ExpressionKind::Match { value, arms } => {
            found.push(value);
            of_arms(arms, found);
        }
        ExpressionKind::If {
            condition,
            then,
            otherwise,
        }
        | ExpressionKind::IfLet {
            value: condition,
            then,
            otherwise,
            ..
        } => {
            found.push(condition);
            of_block(then, found);
            found.extend(otherwise.as_deref_mut());
        }
        _ => of_nodes(kind, found),
    }
}

/// The same for loops and for what is a node of a run.
fn of_nodes<'tree>(kind: &'tree mut ExpressionKind, found: &mut Found<'tree>) {
    match kind {
        ExpressionKind::Do(block) => of_block(block, found),
        ExpressionKind::For {
            iterable: head,
            body,
            ..
        }
        | ExpressionKind::While {
            condition: head,
            body,
        } => {
            found.push(head);
            of_block(body, found);
        }
        ExpressionKind::ParallelFor {
            iterable: head,
            modifiers,
            body,
            ..
        }
        | ExpressionKind::Step {
            name: head,
            modifiers,
            body,
        } => {
            found.push(head);
            of_modifiers(modifiers, found);
            of_block(body, found);
        }
        ExpressionKind::Modified { modifiers, body } => {
            of_modifiers(modifiers, found);
            of_block(body, found);
        }
        ExpressionKind::Reflect {
            call,
            max,
            until,
            by,
        } => {
            found.push(call);
            let parts = [max, until, by];
            found.extend(parts.into_iter().filter_map(Option::as_deref_mut));
        }
        ExpressionKind::With { call, settings } => {
            found.push(call);
            of_settings(settings, found);
        }
        _ => {}
    }
}

fn of_block<'tree>(block: &'tree mut Block, found: &mut Found<'tree>) {
    for statement in &mut block.statements {
        match &mut statement.kind {
            StatementKind::Let { value, .. }
            | StatementKind::Var { value, .. }
            | StatementKind::State { value, .. }
            | StatementKind::Expression(value)
            | StatementKind::Mock {
                outcome: MockOutcome::Value(value),
                ..
            } => found.push(value),
            StatementKind::Assign { target, value, .. } => {
                found.push(target);
                found.push(value);
            }
            StatementKind::Assert { value, message, .. } => {
                found.push(value);
                found.extend(message);
            }
            StatementKind::Defer(block) => of_block(block, found),
            StatementKind::Invalid => {}
        }
    }
}

fn of_arms<'tree>(arms: &'tree mut [MatchArm], found: &mut Found<'tree>) {
    for arm in arms {
        found.extend(&mut arm.guard);
        found.push(&mut arm.body);
    }
}

fn of_arguments<'tree>(arguments: &'tree mut [Argument], found: &mut Found<'tree>) {
    found.extend(arguments.iter_mut().map(|argument| &mut argument.value));
}

fn of_parameters<'tree>(parameters: &'tree mut [Parameter], found: &mut Found<'tree>) {
    found.extend(
        parameters
            .iter_mut()
            .filter_map(|parameter| parameter.default.as_mut()),
    );
}

fn of_modifiers<'tree>(modifiers: &'tree mut [Modifier], found: &mut Found<'tree>) {
    for modifier in modifiers {
        match &mut modifier.kind {
            ModifierKind::Timeout(value) | ModifierKind::Limit(value) => found.push(value),
            ModifierKind::Retry {
                count,
                backoff,
                max,
            } => {
                found.push(count);
                found.extend(backoff.as_mut().into_iter().chain(max));
            }
            ModifierKind::Reflect { count, with } => {
                found.push(count);
                found.extend(with);
            }
            ModifierKind::Budget(arguments) => of_arguments(arguments, found),
            ModifierKind::Errors(_) => {}
        }
    }
}

fn of_settings<'tree>(settings: &'tree mut [Setting], found: &mut Found<'tree>) {
    for setting in settings {
        match &mut setting.value {
            SettingValue::Expression(value) => found.push(value),
            SettingValue::Settings { settings, .. } => of_settings(settings, found),
        }
    }
}

fn of_signature<'tree>(signature: &'tree mut Signature, found: &mut Found<'tree>) {
    of_parameters(&mut signature.parameters, found);
    found.extend(&mut signature.by);
    if let Some(RepeatClass::Idempotent(key)) = &mut signature.repeat {
        found.push(key);
    }
    of_modifiers(&mut signature.modifiers, found);
}

fn of_entries<'tree>(entries: &'tree mut [PromptEntry], found: &mut Found<'tree>) {
    for entry in entries {
        match entry {
            PromptEntry::System(text) | PromptEntry::User(text) => found.push(text),
            PromptEntry::Example {
                arguments, answer, ..
            } => {
                of_arguments(arguments, found);
                found.push(answer);
            }
            PromptEntry::Setting(setting) => of_settings(std::slice::from_mut(setting), found),
        }
    }
}
