//! How much memory a run may take: what the user says, else most of what the machine has.

use gsw_abi::option::BuiltinOption;

const UNITS: [(&str, u64); 9] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("k", 1 << 10),
    ("m", 1 << 20),
    ("g", 1 << 30),
];

/// The limit of a run: as given on the command line, else in the environment, else three quarters of the machine's memory; never
/// more than the process can have.
///
/// # Errors
/// When the variable says nothing that can be read.
pub fn limit(given: Option<u64>) -> Result<Option<u64>, String> {
    let name = BuiltinOption::Memory.variable();
    let variable = name.and_then(|name| Some((name, crate::environment::text(name)?)));
    let wanted = match (given, variable) {
        (Some(given), _) => Some(given),
        (None, Some((name, size))) => Some(bytes(&size).map_err(|why| format!("`{name}`: {why}"))?),
        (None, None) => of_machine().map(|it| it / 4 * 3),
    };
    Ok(match (wanted, of_process().map(|it| it / 2)) {
        (Some(wanted), Some(most)) => Some(wanted.min(most)),
        (wanted, most) => wanted.or(most),
    })
}

/// The limit of this process's addresses (`ulimit -v`): beyond it nothing can be allocated, which would end the process. Stacks and
/// the program itself need some of it.
#[cfg(unix)]
fn of_process() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

#[cfg(not(unix))]
fn of_process() -> Option<u64> {
    None
}

/// `512MB`, `2GiB`, `4g`, or a number of bytes.
pub fn bytes(size: &str) -> Result<u64, String> {
    let wrong = || format!("`{size}` is not a size; write one such as `512MB` or `4GB`");
    let text = size.trim().to_ascii_lowercase();
    let (number, unit) = UNITS
        .iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)))
        .unwrap_or((text.strip_suffix('b').unwrap_or(&text), 1));
    let number: u64 = number.trim().parse().map_err(|_| wrong())?;
    number
        .checked_mul(unit)
        .filter(|it| *it > 0)
        .ok_or_else(wrong)
}

/// What this machine has, or the group of processes that this one is in; `None` where it does not say.
fn of_machine() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let information = read("/proc/meminfo")?;
    let total = information
        .lines()
        .find_map(|it| it.strip_prefix("MemTotal:"))?;
    let total = total
        .trim()
        .strip_suffix(" kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        << 10;
    let groups = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ];
    let limits = groups.iter().filter_map(|it| read(it)?.trim().parse().ok());
    Some(limits.fold(total, u64::min))
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("512MB"), Ok(512_000_000));
        assert_eq!(bytes("2 GiB"), Ok(2 << 30));
        assert_eq!(
            (bytes("64m"), bytes("100"), bytes("100b")),
            (Ok(64 << 20), Ok(100), Ok(100))
        );
        for wrong in ["", "0", "-1MB", "1.5GB", "MB", "99999999999999GB", "lots"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
