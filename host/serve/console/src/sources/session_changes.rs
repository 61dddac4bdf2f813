//! What a run changed in its session: the variables before it and after it, compared.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use ampoule::{Principal, Runtime, SessionMetadata};

use super::find_run::or_none;
use crate::model::{RunDetail, VariableChange};

/// How long after a run its state may have been written.
const LATE: Duration = Duration::from_secs(60);

/// Adds the variables that the run changed, where the session still has the states before the run and
/// after it. Only these two are read, and the session is not locked: other runs can use it meanwhile.
pub(super) fn add(run: &mut RunDetail, runtime: &Runtime) {
    let Some(session) = &run.session else {
        return;
    };
    let Some(number) = session.run else {
        return;
    };
    let owner = run.row.principal.as_deref();
    let owner = owner.map(Principal::new);
    let Ok(Some(shelf)) = or_none(runtime.sessions(owner.as_ref())) else {
        return;
    };
    let of = |number: u64| shelf.about_run(&session.name, number).ok().flatten();
    let Some(after) = of(number).filter(|state| is_of(state, run)) else {
        return;
    };
    let before = match number {
        0 | 1 => Some(BTreeMap::new()),
        _ => of(number - 1).map(|state| variables(&state)),
    };
    let changed = before.map(|before| changes(&before, &variables(&after)));
    if let Some(session) = &mut run.session {
        session.variables = changed;
    }
}

/// Whether the run left a state: the session may have been rewound since, and another run have the
/// number.
fn is_of(state: &SessionMetadata, run: &RunDetail) -> bool {
    let Ok(began) = humantime::parse_rfc3339(&run.row.since) else {
        return false;
    };
    let took = run.usage.wall_ms.or(run.row.wall_ms).unwrap_or_default();
    let took = Duration::try_from_secs_f64(took / 1000.0).unwrap_or_default();
    let made = UNIX_EPOCH + Duration::from_secs(state.made);
    // Whole seconds are kept of the one, and not of the other.
    made + Duration::from_secs(1) > began && made <= began + took + LATE
}

/// What is known of a variable's value.
#[derive(Debug, PartialEq, Eq)]
struct KnownValue {
    kind: String,
    size: Option<u64>,
}

fn variables(state: &SessionMetadata) -> BTreeMap<String, KnownValue> {
    let names = state.names.iter();
    let known = names.map(|name| {
        let value = KnownValue {
            kind: name.kind.clone(),
            size: name.size.map(u64::from),
        };
        (name.name.clone(), value)
    });
    known.collect()
}

fn changes(
    before: &BTreeMap<String, KnownValue>,
    after: &BTreeMap<String, KnownValue>,
) -> Vec<VariableChange> {
    let change = |name: &String, change: &str, value: &KnownValue| VariableChange {
        name: name.clone(),
        change: change.to_owned(),
        kind: value.kind.clone(),
        size: value.size,
    };
    let now = after
        .iter()
        .filter_map(|(name, known)| match before.get(name) {
            None => Some(change(name, "created", known)),
            Some(other) if other != known => Some(change(name, "changed", known)),
            Some(_) => None,
        });
    let gone = before.iter().filter(|(name, _)| !after.contains_key(*name));
    let gone = gone.map(|(name, known)| change(name, "removed", known));
    now.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_created_changed_and_removed() {
        let known = |all: &[(&str, &str, u64)]| -> BTreeMap<String, KnownValue> {
            let value = |kind: &str, size| KnownValue {
                kind: kind.to_owned(),
                size: Some(size),
            };
            let all = all.iter();
            all.map(|&(name, kind, size)| (name.to_owned(), value(kind, size)))
                .collect()
        };
        let before = known(&[
            ("basket", "array", 2),
            ("gone", "string", 3),
            ("same", "map", 1),
        ]);
        let after = known(&[
            ("basket", "array", 3),
            ("new", "number", 0),
            ("same", "map", 1),
        ]);
        let found = changes(&before, &after);
        let found: Vec<_> = found
            .iter()
            .map(|it| (&*it.name, &*it.change, it.size))
            .collect();
        let wanted = [
            ("basket", "changed", Some(3)),
            ("new", "created", Some(0)),
            ("gone", "removed", Some(3)),
        ];
        assert_eq!(found, wanted);
        assert!(changes(&after, &after).is_empty());
    }
}
