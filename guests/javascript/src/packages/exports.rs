//! What `exports` and `imports` of a package.json say.

use serde_json::Value;

use super::resolve::How;

/// What a package gives for a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Something: a path that begins with `./`; or, for a name of its own imports, another package.
    Given(String),
    /// Nothing, on purpose.
    Withheld,
    /// Nothing.
    Unsaid,
}

/// The conditions that hold here, but for that of how a module is asked for. What a package has for
/// Node needs modules of Node that are not here; what it has for browsers needs globals alone.
const CONDITIONS: [&str; 3] = ["browser", "module-sync", "default"];

/// What `exports` gives for a subpath: `.`, or `./…`.
pub(super) fn exported(exports: &Value, subpath: &str, how: How) -> Target {
    let is_map = exports
        .as_object()
        .is_some_and(|map| map.keys().any(|key| key.starts_with('.')));
    match (is_map, subpath) {
        (true, _) => mapped(exports, subpath, how),
        (false, ".") => target(exports, None, how),
        (false, _) => Target::Unsaid,
    }
}

/// What a map gives for a key: by the key itself, or by a pattern.
pub(super) fn mapped(map: &Value, key: &str, how: How) -> Target {
    let Some(map) = map.as_object() else {
        return Target::Unsaid;
    };
    if let Some(value) = map.get(key)
        && !key.contains('*')
    {
        return target(value, None, how);
    }
    let matches = map.iter().filter_map(|(pattern, value)| {
        let (before, after) = pattern.split_once('*')?;
        let star = key.strip_prefix(before)?.strip_suffix(after)?;
        (!star.is_empty()).then_some(Match {
            before: before.len(),
            length: pattern.len(),
            star,
            value,
        })
    });
    match matches.max_by_key(|found| (found.before, found.length)) {
        Some(found) => target(found.value, Some(found.star), how),
        None => Target::Unsaid,
    }
}

struct Match<'m> {
    before: usize,
    length: usize,
    star: &'m str,
    value: &'m Value,
}

fn target(value: &Value, star: Option<&str>, how: How) -> Target {
    match value {
        Value::String(text) => match star {
            Some(star) => Target::Given(text.replace('*', star)),
            None => Target::Given(text.clone()),
        },
        Value::Null => Target::Withheld,
        Value::Array(choices) => {
            let given = choices.iter().map(|choice| target(choice, star, how));
            let mut given = given.filter(|target| *target != Target::Unsaid);
            given.next().unwrap_or(Target::Unsaid)
        }
        Value::Object(conditions) => {
            let holds =
                |condition: &str| CONDITIONS.contains(&condition) || condition == how.condition();
            let held = conditions.iter().filter(|(condition, _)| holds(condition));
            let given = held.map(|(_, value)| target(value, star, how));
            let mut given = given.filter(|target| *target != Target::Unsaid);
            given.next().unwrap_or(Target::Unsaid)
        }
        Value::Bool(_) | Value::Number(_) => Target::Unsaid,
    }
}

/// The subpaths that `exports` names one by one, `.` included.
pub(super) fn subpaths(exports: &Value) -> Vec<&str> {
    let keys = exports.as_object().map(|map| map.keys());
    let keys = keys.into_iter().flatten().map(String::as_str);
    let named: Vec<&str> = keys
        .filter(|key| key.starts_with('.') && !key.contains('*') && !key.ends_with('/'))
        .collect();
    match named.is_empty() {
        true => vec!["."],
        false => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(exports: &str, subpath: &str, how: How) -> Target {
        let exports: Value = serde_json::from_str(exports).unwrap();
        exported(&exports, subpath, how)
    }

    #[test]
    fn exports_are_looked_up_in_their_order_by_conditions_and_patterns() {
        let path = |path: &str| Target::Given(path.to_owned());
        let both = r#"{"types":"./a.d.ts","import":"./a.mjs","require":"./a.cjs"}"#;
        assert_eq!(given(both, ".", How::Import), path("./a.mjs"));
        assert_eq!(given(both, ".", How::Require), path("./a.cjs"));
        assert_eq!(given(both, "./b", How::Import), Target::Unsaid);
        let places = r#"{"node":"./node.js","browser":{"require":"./b.cjs"},"default":"./d.js"}"#;
        assert_eq!(given(places, ".", How::Import), path("./d.js"));
        assert_eq!(given(places, ".", How::Require), path("./b.cjs"));
        let map = r#"{".":"./i.js","./x/*":"./lib/*.js","./x/in/*":null,"./x/one":["./1.js"]}"#;
        assert_eq!(given(map, ".", How::Import), path("./i.js"));
        assert_eq!(given(map, "./x/a/b", How::Import), path("./lib/a/b.js"));
        assert_eq!(given(map, "./x/in/a", How::Import), Target::Withheld);
        assert_eq!(given(map, "./x/one", How::Import), path("./1.js"));
        assert_eq!(given(map, "./y", How::Import), Target::Unsaid);
    }
}
