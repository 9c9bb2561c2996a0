//! `"…${e}…"`: pieces appended to one string, which grows in place.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{ExpressionId, Part};
use gsw_names::types::{Type, is_media};

use crate::family::Family;
use crate::ir::{Constant, Operand};
use crate::lower::builder::Builder;
use crate::lower::emitter::{Emitter, type_word};

pub fn interpolation(builder: &mut Builder<'_, '_>, id: ExpressionId, parts: &[Part]) -> Operand {
    let ty = builder.type_of(id);
    let is_secret = builder.program.base_type(&ty) == Type::Secret;
    let has_media = parts.iter().any(|part| match part {
        Part::Text(_) => false,
        Part::Expression(id) => is_media(&builder.type_of(*id)),
    });
    let (result, join) = if is_secret {
        // Decided once for the whole text: a secret in the last piece makes all of it one.
        (builtin::SECRET, RuntimeCall::secret_join)
    } else if has_media {
        (builtin::STRING, RuntimeCall::media_join)
    } else {
        (builtin::STRING, RuntimeCall::string_concat)
    };
    let later = |from: usize| -> Vec<ExpressionId> {
        let expressions = parts[from..].iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Expression(id) => Some(*id),
        });
        expressions.collect()
    };
    let mut whole: Option<Operand> = None;
    for (index, part) in parts.iter().enumerate() {
        let piece = match part {
            Part::Text(text) if is_secret => secret_text(builder, text),
            Part::Text(text) => builder.text(text),
            Part::Expression(value) => piece(builder, *value, is_secret),
        };
        // Only the first piece is kept while later ones are evaluated; they may assign the variable it was read from.
        let piece = match whole {
            None => builder.settled(piece, &later(index + 1)),
            Some(_) => piece,
        };
        // `string_concat` owns its first operand, so the text that has one owner grows in place.
        whole = Some(match whole {
            None => piece,
            Some(whole) => builder.runtime(result, join, vec![whole, piece]),
        });
    }
    whole.unwrap_or_else(|| builder.text(""))
}

fn piece(builder: &mut Builder<'_, '_>, value: ExpressionId, is_secret: bool) -> Operand {
    let ty = builder.type_of(value);
    let value = builder.expression(value);
    if builder.program.base_type(&ty) == Type::Secret {
        return value;
    }
    if is_media(&ty) {
        return builder.media_text(value, &ty);
    }
    let text = builder.text_form(value, &ty);
    if is_secret {
        builder.secret_of(text)
    } else {
        text
    }
}

impl Emitter<'_, '_> {
    /// The placeholder of images and documents in a user text.
    pub fn media_text(&mut self, value: Operand, ty: &Type) -> Operand {
        let ty = self.type_id(ty);
        self.runtime(
            builtin::STRING,
            RuntimeCall::media_text,
            vec![type_word(ty), value],
        )
    }

    /// A value as it reads in an interpolated string.
    pub fn text_form(&mut self, value: Operand, ty: &Type) -> Operand {
        match self.program.family(ty) {
            Family::Text => value,
            Family::Nothing
            | Family::Bool
            | Family::Int
            | Family::Duration
            | Family::Time
            | Family::Float
            | Family::Secret
            | Family::Media
            | Family::Json
            | Family::List(_)
            | Family::Map(..)
            | Family::Plain => {
                let id = self.type_id(ty);
                let arguments = vec![type_word(id), value];
                self.runtime(builtin::STRING, RuntimeCall::value_to_string, arguments)
            }
        }
    }

    /// A string as a secret: an object says by itself which of both it is.
    pub fn secret_of(&mut self, text: Operand) -> Operand {
        text
    }
}

fn secret_text(emitter: &mut Emitter, text: &str) -> Operand {
    let ty = builtin::STRING;
    let text = text.to_owned();
    let text = emitter.constant(ty, Constant::String { ty, text });
    emitter.secret_of(text)
}
