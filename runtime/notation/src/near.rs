//! Which of several names was probably meant.

/// The name that was probably meant: few edits away, for its length.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = match name.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        length => length / 3,
    };
    let near = names.map(|it| (strsim::osa_distance(name, it), it));
    let near = near.filter(|it| it.0 <= most).min_by_key(|it| it.0);
    near.map(|it| it.1)
}
