//! What modules of the library ask and say, by the words that they hand over.

/// Makes an enum of what can be asked or said, with the word of each.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($variant),* }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word that the library gives.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// What a word of the library means.
            ///
            /// # Panics
            /// When it is none of these: only the library calls what takes such a word.
            #[must_use]
            pub fn of_word(word: &str) -> Self {
                let found = Self::ALL.iter().find(|it| it.word() == word);
                *found.expect(concat!("the library gives a word of `", stringify!($name), "`"))
            }
        }
    };
}

words! {
    /// What `std/mcp` asks a server besides calls of its tools.
    AskedOfServer {
        Tools = "tools",
        Resources = "resources",
        Templates = "templates",
        Read = "read",
        Prompts = "prompts",
        Prompt = "prompt",
        Talk = "talk",
    }
}

words! {
    /// What `std/mcp` says of any server beside where it is.
    SaidOfServer {
        Grants = "grants",
        Silence = "silence",
    }
}

words! {
    /// What `std/mcp` says of a program that a person authorizes to use a server.
    SaidOfClient {
        Scopes = "scopes",
        Client = "client",
        Secret = "secret",
        Issuer = "issuer",
        Document = "document",
        Port = "port",
    }
}

words! {
    /// What `std/runs` asks of another run.
    AskedOfRun {
        Find = "find",
        Status = "status",
        State = "state",
        Result = "result",
        Cancel = "cancel",
        Answer = "answer",
    }
}
