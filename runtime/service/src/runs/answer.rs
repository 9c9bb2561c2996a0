//! `runs answer`: answers a question of a run, whichever process runs it.

use gsw_abi::program::Asks;
use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::Engine;
use gsw_driver::engine::runs::delivery::Sender;
use gsw_driver::external::{Address, Taken};
use gsw_journal::list::Carried;

use crate::environment;
use crate::report::Next;
use crate::runs::arguments::Asking;
use crate::runs::refusal::Refusal;

/// Delivers an answer; returns the line that reports it.
pub(super) fn answer(
    engine: &Engine,
    store: &RunStore,
    to: Asking,
    name: &str,
    answer: String,
    next: impl Fn(&str) -> Next,
) -> Result<String, Refusal> {
    let address = match to {
        Asking::Key(key) => by_key(engine, store, &key, name, &answer)?,
        Asking::Run(id) => {
            // Nothing is made for an answer that no run has asked for.
            store.existing()?;
            let run = id.into();
            match name.parse() {
                Ok(operation) => Address::Operation { run, operation },
                Err(_) => Address::Name {
                    run,
                    name: name.into(),
                },
            }
        }
    };
    let sender = Sender::Person(format!("`{}`", user()));
    let taken = engine.runs().deliver(address, answer, sender);
    let run = match taken? {
        Taken::Kept => return Ok("kept for seven days, until a run asks for it".into()),
        Taken::Delivered { run, .. } => run,
    };
    let info = store.existing().and_then(|it| it.find(&run));
    Ok(match info?.carried {
        Carried::Yes => "answered; the run goes on".into(),
        Carried::No => format!("answered; resume it: {}", next(&run).resume()),
    })
}

/// Who answers, as this process knows them: where no login has set a name, such as in a container, the system has one or a number.
fn user() -> String {
    let named = ["USER", "LOGNAME"].into_iter().find_map(environment::text);
    named.filter(|it| !it.is_empty()).unwrap_or_else(of_system)
}

#[cfg(unix)]
fn of_system() -> String {
    let id = rustix::process::geteuid().as_raw().to_string();
    let listed = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    name_of(&id, &listed).unwrap_or_else(|| format!("user {id}"))
}

#[cfg(not(unix))]
fn of_system() -> String {
    environment::text("USERNAME").unwrap_or_else(|| "somebody".into())
}

/// The name of a user in lines such as `root:x:0:0:…`.
#[cfg(unix)]
fn name_of(id: &str, listed: &str) -> Option<String> {
    let mut users = listed.lines().map(|it| it.split(':'));
    users.find_map(|mut fields| {
        let name = fields.next()?;
        (fields.nth(1)? == id && !name.is_empty()).then(|| name.to_owned())
    })
}

/// Nothing asks by a key that is declared without one: an answer to it would be kept for nobody.
fn has_key(engine: &Engine, name: &str) -> Result<(), String> {
    let what = match engine.runs().whom_asks(name) {
        Some(Asks::WorldByKey) => return Ok(()),
        Some(Asks::Person) => "asks a person and",
        Some(Asks::World) => "is declared without `by`, so it",
        Some(Asks::Model) | None => return Err(format!("there is no external `{name}`")),
    };
    Err(format!(
        "`{name}` {what} has no key: answer it in its run, by `runs answer ID {name} JSON`; `runs` lists those that wait"
    ))
}

/// The address of a key under which nothing but this declaration is asked.
fn by_key(
    engine: &Engine,
    store: &RunStore,
    key: &str,
    name: &str,
    answer: &str,
) -> Result<Address, String> {
    let asked = match store.existing() {
        Ok(store) => store.question_of_key(key).map_err(|it| it.to_string())?,
        Err(gsw_journal::store::Error::Missing(_)) => None,
        Err(error) => return Err(error.to_string()),
    };
    match asked {
        Some(asked) if !engine.runs().is_same_question(&asked.question.name, name) => Err(format!(
            "`{key}` is the key of `{}`, not of `{name}`",
            asked.question.name
        )),
        Some(_) => Ok(Address::Key(key.into())),
        None => {
            has_key(engine, name)?;
            let issues = engine.runs().unfit_for(name, answer);
            let issues = issues.ok_or_else(|| format!("there is no external `{name}`"))?;
            match issues.as_slice() {
                [] => Ok(Address::Key(key.into())),
                issues => {
                    let issues: Vec<&str> = issues.iter().map(|it| &*it.message).collect();
                    Err(format!(
                        "the answer does not fit `{name}`; {}",
                        issues.join("; ")
                    ))
                }
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::name_of;

    #[test]
    fn a_user_without_a_login_has_the_name_of_the_system() {
        let listed =
            "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n:x:7:7::/:\nbroken";
        assert_eq!(name_of("1000", listed).as_deref(), Some("ada"));
        assert_eq!(name_of("0", listed).as_deref(), Some("root"));
        assert_eq!(name_of("100", listed), None);
        assert_eq!(name_of("7", listed), None);
    }
}
