//! Types as they are written in source, for messages, hover and signatures.

use gsw_source::Db;

use crate::signature::{Parameter, Presence};
use crate::types::{EffectSet, FunctionType, Latent, Type};

/// `ty` as source text; an unknown type is `_`.
#[must_use]
pub fn display_type(db: &dyn Db, ty: &Type) -> String {
    let mut out = String::new();
    write_type(db, ty, &mut out);
    out
}

/// What a parameter takes, as source text: its type, and whether it must be trusted.
#[must_use]
pub fn display_parameter(db: &dyn Db, parameter: &Parameter) -> String {
    let mut out = display_type(db, &parameter.ty);
    match parameter.trusted {
        Presence::Present => out.push_str(" trusted"),
        Presence::Absent => {}
    }
    out
}

fn write_type(db: &dyn Db, ty: &Type, out: &mut String) {
    match ty {
        Type::Literals(names) => {
            for (index, name) in names.iter().enumerate() {
                out.push_str(if index > 0 { " | " } else { "" });
                out.push_str(&format!("{name:?}"));
            }
        }
        Type::Optional(inner) => {
            let bracketed = matches!(**inner, Type::Literals(_) | Type::Function(_));
            out.push_str(if bracketed { "(" } else { "" });
            write_type(db, inner, out);
            out.push_str(if bracketed { ")?" } else { "?" });
        }
        Type::List(inner) => write_between(db, "[", std::slice::from_ref(&**inner), "]", out),
        Type::Map(key, value) => {
            out.push('{');
            write_type(db, key, out);
            out.push_str(": ");
            write_type(db, value, out);
            out.push('}');
        }
        Type::Tuple(parts) => write_between(db, "(", parts, ")", out),
        Type::Record(item, parts) | Type::Enum(item, parts) | Type::Checked(item, parts) => {
            out.push_str(item.name(db));
            if !parts.is_empty() {
                write_between(db, "<", parts, ">", out);
            }
        }
        Type::Function(function) => write_function(db, function, out),
        Type::Task(inner) => write_between(db, "Task<", std::slice::from_ref(&**inner), ">", out),
        Type::Stream(inner) => {
            write_between(db, "Stream<", std::slice::from_ref(&**inner), ">", out);
        }
        Type::Queue(inner) => {
            write_between(db, "Queue<", std::slice::from_ref(&**inner), ">", out);
        }
        Type::Partial(inner) => {
            write_between(db, "Partial<", std::slice::from_ref(&**inner), ">", out);
        }
        Type::Parameter(_, name) => out.push_str(name),
        Type::Unit => out.push_str("()"),
        Type::Bool => out.push_str("bool"),
        Type::Int => out.push_str("int"),
        Type::Float => out.push_str("float"),
        Type::String => out.push_str("string"),
        Type::Bytes => out.push_str("bytes"),
        Type::Time => out.push_str("time"),
        Type::Duration => out.push_str("duration"),
        Type::Json => out.push_str("json"),
        Type::Secret => out.push_str("secret"),
        Type::Image => out.push_str("image"),
        Type::Document => out.push_str("document"),
        Type::Session => out.push_str("Session"),
        Type::Error => out.push_str("Error"),
        Type::Agent => out.push_str("Agent"),
        Type::Never => out.push_str("never"),
        Type::Variable(_) | Type::Text(_) | Type::Invalid => out.push('_'),
    }
}

fn write_between(db: &dyn Db, open: &str, parts: &[Type], close: &str, out: &mut String) {
    out.push_str(open);
    for (index, part) in parts.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write_type(db, part, out);
    }
    out.push_str(close);
}

fn write_function(db: &dyn Db, function: &FunctionType, out: &mut String) {
    write_between(db, "fn(", &function.parameters, ")", out);
    if function.result != Type::Unit {
        out.push_str(" -> ");
        write_type(db, &function.result, out);
    }
    if let Some(latent) = &function.latent {
        write_latent(latent, out);
    }
}

fn write_latent(latent: &Latent, out: &mut String) {
    // What was left out is not written here either.
    let unsaid = latent.errors.kinds.is_empty() && latent.effects != EffectSet::ALL;
    let mut names: Vec<&str> = latent
        .errors
        .kinds
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    if latent.errors.open && !unsaid {
        names.push("Error");
    }
    if !names.is_empty() {
        out.push_str(" ! ");
        out.push_str(&names.join(" | "));
    }
    let effects: Vec<&str> = latent
        .effects
        .iter()
        .map(crate::types::Effect::name)
        .collect();
    if !effects.is_empty() && latent.effects != EffectSet::ALL {
        out.push_str(" uses ");
        out.push_str(&effects.join(" + "));
    }
}
