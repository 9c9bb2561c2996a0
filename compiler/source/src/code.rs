//! The codes of diagnostics and their pages.

/// The kebab-case name of a diagnostic. Each has a page `codes/<name>.md`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Code(&'static str);

/// How an editor shows the text that a diagnostic is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiagnosticTag {
    /// Greyed out: the program is the same without it.
    Unnecessary,
    /// Struck through.
    Deprecated,
}

impl Code {
    /// The codes under which warnings are reported, in alphabetical order: what `[lints]` of a `gsw.toml` takes.
    pub const LINTS: &'static [Self] = &[
        Self::ABSENT_OPERAND,
        Self::ACCIDENTAL_COMMENT,
        Self::ALWAYS_MATCHES,
        Self::ASKS_NOTHING,
        Self::BROKEN_PATTERN,
        Self::CACHED_EFFECT,
        Self::DEPRECATED,
        Self::DUPLICATE_KEY,
        Self::EMPTY_RANGE,
        Self::HIDES_BUILTIN,
        Self::IMPOSSIBLE_CATCH,
        Self::LOST_UPDATE,
        Self::MISPLACED_DOC,
        Self::MISSING_DOLLAR,
        Self::NAMING_STYLE,
        Self::NEGATIVE_INDEX,
        Self::NEVER_RAISED,
        Self::NOT_OPTIONAL,
        Self::SAME_TWICE,
        Self::SENSELESS_ARGUMENT,
        Self::SKILL_FORM,
        Self::SWAPPED_FIELDS,
        Self::UNBOUNDED_CALLS,
        Self::UNCACHED_TEXT,
        Self::UNCHANGED_VARIABLE,
        Self::UNREACHABLE_ARM,
        Self::UNREACHABLE_CODE,
        Self::UNSUPPORTED_SETTING,
        Self::UNUSED_DECLARATION,
        Self::UNUSED_IMPORT,
        Self::UNUSED_VALUE,
        Self::UNUSED_VARIABLE,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }
}

/// Declares every code as a constant and binds it to its page; a missing page does not compile. A row may end in its [`DiagnosticTag`].
macro_rules! codes {
    ($($constant:ident = $name:literal $(, $tag:ident)?;)*) => {
        impl Code {
            /// How an editor is to show its text, where that is not as any other.
            #[must_use]
            pub fn tag(self) -> Option<DiagnosticTag> {
                match self.0 {
                    $($($name => Some(DiagnosticTag::$tag),)?)*
                    _ => None,
                }
            }

            $(
                #[doc = concat!("`", $name, "`; see its page.")]
                pub const $constant: Self = Self($name);
            )*

            /// Every code, in alphabetical order.
            pub const ALL: &'static [Self] = &[$(Self($name)),*];
        }

        /// The page of the code called `name`, as Markdown; `None` when there is no such code.
        #[must_use]
        pub fn explain(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some(include_str!(concat!("codes/", $name, ".md"))),)*
                _ => None,
            }
        }
    };
}

codes! {
    ABSENT_OPERAND = "absent-operand";
    ACCIDENTAL_COMMENT = "accidental-comment";
    ALWAYS_MATCHES = "always-matches";
    AMBIGUOUS_VARIANT = "ambiguous-variant";
    ASKS_NOTHING = "asks-nothing";
    ATTRIBUTE_ARGUMENTS = "attribute-arguments";
    BAD_SKILL = "bad-skill";
    BROKEN_CHECK = "broken-check";
    BROKEN_PATTERN = "broken-pattern";
    CACHED_EFFECT = "cached-effect";
    CANNOT_INFER_TYPE = "cannot-infer-type";
    CANNOT_LEAVE = "cannot-leave";
    CANNOT_WAIT = "cannot-wait";
    CAPTURED_CYCLE = "captured-cycle";
    DEPRECATED = "deprecated", Deprecated;
    DIFFERENT_BINDINGS = "different-bindings";
    DUPLICATE_ARGUMENT = "duplicate-argument";
    DUPLICATE_DEFINITION = "duplicate-definition";
    DUPLICATE_FIELD = "duplicate-field";
    DUPLICATE_KEY = "duplicate-key";
    DUPLICATE_SETTING = "duplicate-setting";
    DUPLICATE_TOOL = "duplicate-tool";
    EMPTY_RANGE = "empty-range";
    ELSE_MUST_LEAVE = "else-must-leave";
    HIDES_BUILTIN = "hides-builtin";
    HOST_TOOL = "host-tool";
    IMPORT_CYCLE = "import-cycle";
    IMPOSSIBLE_CATCH = "impossible-catch";
    INFINITE_TYPE = "infinite-type";
    INSTANCE_TOO_DEEP = "instance-too-deep";
    INVALID_CHARACTER = "invalid-character";
    INVALID_CONVERSION = "invalid-conversion";
    INVALID_ESCAPE = "invalid-escape";
    INVALID_NAME = "invalid-name";
    INVALID_NUMBER = "invalid-number";
    INVALID_TOML = "invalid-toml";
    LOST_UPDATE = "lost-update";
    MAP_KEY_TYPE = "map-key-type";
    MATCH_TOO_COMPLEX = "match-too-complex";
    MISPLACED_ARGUMENT = "misplaced-argument";
    MISPLACED_DOC = "misplaced-doc";
    MISPLACED_LET = "misplaced-let";
    MISPLACED_MODIFIER = "misplaced-modifier";
    MISPLACED_STATEMENT = "misplaced-statement";
    MISSING_ARGUMENT = "missing-argument";
    MISSING_CASE = "missing-case";
    MISSING_DOLLAR = "missing-dollar";
    MISSING_FIELD = "missing-field";
    MISSING_MAIN = "missing-main";
    MISSING_TYPE = "missing-type";
    NAMING_STYLE = "naming-style";
    NEEDS_HOST = "needs-host";
    NESTING_TOO_DEEP = "nesting-too-deep";
    NEGATIVE_INDEX = "negative-index";
    NEVER_RAISED = "never-raised";
    NO_JSON_FORM = "no-json-form";
    NOT_A_PROMPT = "not-a-prompt";
    NOT_A_RECORD = "not-a-record";
    NOT_A_TOOL = "not-a-tool";
    NOT_A_SERVER = "not-a-server";
    NOT_A_TYPE = "not-a-type";
    NOT_A_VALUE = "not-a-value";
    NOT_A_WORKFLOW = "not-a-workflow";
    NOT_AN_AGENT = "not-an-agent";
    NOT_AN_ERROR = "not-an-error";
    NOT_ASSIGNABLE = "not-assignable";
    NOT_AWAITABLE = "not-awaitable";
    NOT_CALLABLE = "not-callable";
    NOT_CONSTANT = "not-constant";
    NOT_INDEXABLE = "not-indexable";
    NOT_ITERABLE = "not-iterable";
    NOT_OPTIONAL = "not-optional";
    NOT_PERMITTED = "not-permitted";
    NOT_RECORDABLE = "not-recordable";
    NOT_YET_SUPPORTED = "not-yet-supported";
    OUTSIDE_LOOP = "outside-loop";
    PRIVATE_NAME = "private-name";
    REFUTABLE_PATTERN = "refutable-pattern";
    REPEATS_ONCE_EFFECT = "repeats-once-effect";
    RESERVED_NAME = "reserved-name";
    SAME_TWICE = "same-twice";
    SECRET_EXPOSED = "secret-exposed";
    SENSELESS_ARGUMENT = "senseless-argument";
    SKILL_FORM = "skill-form";
    SWAPPED_FIELDS = "swapped-fields";
    TOO_MANY_ARGUMENTS = "too-many-arguments";
    TYPE_ARGUMENT_COUNT = "type-argument-count";
    TYPE_MISMATCH = "type-mismatch";
    TYPE_TOO_LARGE = "type-too-large";
    UNBOUNDED_CALLS = "unbounded-calls";
    UNCACHED_TEXT = "uncached-text";
    UNCHANGED_VARIABLE = "unchanged-variable";
    UNCLOSED_BRACKET = "unclosed-bracket";
    UNDECLARED_ERROR = "undeclared-error";
    UNEXPECTED_TOKEN = "unexpected-token";
    UNION_MEMBER = "union-member";
    UNKNOWN_ARGUMENT = "unknown-argument";
    UNKNOWN_ATTRIBUTE = "unknown-attribute";
    UNKNOWN_EFFECT = "unknown-effect";
    UNKNOWN_FIELD = "unknown-field";
    UNKNOWN_IMPORT = "unknown-import";
    UNKNOWN_KEY = "unknown-key";
    UNKNOWN_METHOD = "unknown-method";
    UNKNOWN_MODEL = "unknown-model";
    UNKNOWN_MODULE = "unknown-module";
    UNKNOWN_NAME = "unknown-name";
    UNKNOWN_SETTING = "unknown-setting";
    UNKNOWN_TYPE = "unknown-type";
    UNKNOWN_VARIANT = "unknown-variant";
    UNMET_REQUIREMENT = "unmet-requirement";
    UNOPENED_BRACKET = "unopened-bracket";
    UNREACHABLE_ARM = "unreachable-arm", Unnecessary;
    UNREACHABLE_CODE = "unreachable-code", Unnecessary;
    UNSUPPORTED_SETTING = "unsupported-setting";
    UNTERMINATED_STRING = "unterminated-string";
    UNTRUSTED_VALUE = "untrusted-value";
    UNUSED_DECLARATION = "unused-declaration", Unnecessary;
    UNUSED_IMPORT = "unused-import", Unnecessary;
    UNUSED_VALUE = "unused-value", Unnecessary;
    UNUSED_VARIABLE = "unused-variable", Unnecessary;
    WRONG_FORMER_NAME = "wrong-former-name";
    WRONG_HANDLER = "wrong-handler";
    WRONG_OPERANDS = "wrong-operands";
    WRONG_PARAMETER_COUNT = "wrong-parameter-count";
    WRONG_PATTERN = "wrong-pattern";
    WRONG_SETTING = "wrong-setting";
    WRONG_TEST_HEAD = "wrong-test-head";
    WRONG_VALUE = "wrong-value";
}

#[cfg(test)]
mod tests {
    use super::{Code, DiagnosticTag};

    #[test]
    fn what_nothing_uses_or_reaches_is_unnecessary() {
        for code in Code::ALL {
            let name = code.name();
            let is_so = name.starts_with("unused-") || name.starts_with("unreachable-");
            assert_eq!(
                code.tag() == Some(DiagnosticTag::Unnecessary),
                is_so,
                "{name}"
            );
        }
        assert_eq!(Code::DEPRECATED.tag(), Some(DiagnosticTag::Deprecated));
    }
}
