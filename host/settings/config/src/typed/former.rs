//! Keys that had other names, and what is written today instead.

/// Each with the key of today.
const FORMER: [(&str, &str); 9] = [
    ("records.size", "records.bytes"),
    ("sessions.bytes", "sessions.each"),
    ("skills.bytes", "skills.each"),
    ("workspace.files", "workspace.most"),
    ("runs.parked", "runs.parked.all.most"),
    ("runs.parked-each", "runs.parked.most"),
    ("runs.parked-bytes", "runs.parked.each"),
    ("runs.parked-all-bytes", "runs.parked.all.bytes"),
    ("runs.parked-age", "runs.parked.age"),
];

/// What is said of a key that had another name.
pub(super) fn said_of(key: &str) -> Option<String> {
    let (former, today) = FORMER.into_iter().find(|(former, _)| *former == key)?;
    Some(format!("the key `{former}` is now `{today}`"))
}
