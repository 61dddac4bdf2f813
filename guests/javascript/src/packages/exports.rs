//! What `exports` and `imports` of a package.json say.

use serde_json::Value;

use super::resolve::RequestKind;

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
pub(super) fn exported(exports: &Value, subpath: &str, kind: RequestKind) -> Target {
    let is_map = exports
        .as_object()
        .is_some_and(|map| map.keys().any(|key| key.starts_with('.')));
    let lookup = Lookup {
        kind,
        is_target: is_inside,
    };
    match (is_map, subpath) {
        (true, _) => lookup.mapped(exports, subpath),
        (false, ".") => lookup.target(exports, None),
        (false, _) => Target::Unsaid,
    }
}

/// What `imports` gives for a name of the package's own: it may be another package.
pub(super) fn own(imports: &Value, name: &str, kind: RequestKind) -> Target {
    let is_target = |target: &str| match target.starts_with("./") {
        true => is_inside(target),
        false => !target.starts_with(['.', '/', '#']),
    };
    Lookup { kind, is_target }.mapped(imports, name)
}

/// Whether a target is the path of something in the package.
pub(super) fn is_inside(target: &str) -> bool {
    let is_part = |part: &str| !matches!(part, "" | "." | ".." | "node_modules");
    let path = target.strip_prefix("./");
    path.is_some_and(|path| path.split('/').all(is_part))
}

/// How something is looked up.
struct Lookup {
    kind: RequestKind,
    /// Whether a text can be a target: in a list, what can't be is passed over.
    is_target: fn(&str) -> bool,
}

impl Lookup {
    /// What a map gives for a key: by the key itself, or by a pattern.
    fn mapped(&self, map: &Value, key: &str) -> Target {
        let Some(map) = map.as_object() else {
            return Target::Unsaid;
        };
        if let Some(value) = map.get(key)
            && !key.contains('*')
        {
            return self.target(value, None);
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
            Some(found) => self.target(found.value, Some(found.star)),
            None => Target::Unsaid,
        }
    }

    fn target(&self, value: &Value, star: Option<&str>) -> Target {
        match value {
            Value::String(text) => match star {
                Some(star) => Target::Given(text.replace('*', star)),
                None => Target::Given(text.clone()),
            },
            Value::Null => Target::Withheld,
            // The first that is something, and can be a target.
            Value::Array(choices) => {
                let mut last = Target::Unsaid;
                for choice in choices {
                    match self.target(choice, star) {
                        Target::Given(path) if (self.is_target)(&path) => {
                            return Target::Given(path);
                        }
                        Target::Given(_) | Target::Unsaid => {}
                        Target::Withheld => last = Target::Withheld,
                    }
                }
                last
            }
            Value::Object(conditions) => {
                let holds = |condition: &str| {
                    CONDITIONS.contains(&condition) || condition == self.kind.condition()
                };
                let held = conditions.iter().filter(|(condition, _)| holds(condition));
                let given = held.map(|(_, value)| self.target(value, star));
                let mut given = given.filter(|target| *target != Target::Unsaid);
                given.next().unwrap_or(Target::Unsaid)
            }
            Value::Bool(_) | Value::Number(_) => Target::Unsaid,
        }
    }
}

struct Match<'m> {
    before: usize,
    length: usize,
    star: &'m str,
    value: &'m Value,
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

    fn given(exports: &str, subpath: &str, kind: RequestKind) -> Target {
        let exports: Value = serde_json::from_str(exports).unwrap();
        exported(&exports, subpath, kind)
    }

    #[test]
    fn exports_are_looked_up_in_their_order_by_conditions_and_patterns() {
        let path = |path: &str| Target::Given(path.to_owned());
        let both = r#"{"types":"./a.d.ts","import":"./a.mjs","require":"./a.cjs"}"#;
        assert_eq!(given(both, ".", RequestKind::Import), path("./a.mjs"));
        assert_eq!(given(both, ".", RequestKind::Require), path("./a.cjs"));
        assert_eq!(given(both, "./b", RequestKind::Import), Target::Unsaid);
        let places = r#"{"node":"./node.js","browser":{"require":"./b.cjs"},"default":"./d.js"}"#;
        assert_eq!(given(places, ".", RequestKind::Import), path("./d.js"));
        assert_eq!(given(places, ".", RequestKind::Require), path("./b.cjs"));
        let map = r#"{".":"./i.js","./x/*":"./lib/*.js","./x/in/*":null,"./x/one":["./1.js"]}"#;
        assert_eq!(given(map, ".", RequestKind::Import), path("./i.js"));
        assert_eq!(
            given(map, "./x/a/b", RequestKind::Import),
            path("./lib/a/b.js")
        );
        assert_eq!(
            given(map, "./x/in/a", RequestKind::Import),
            Target::Withheld
        );
        assert_eq!(given(map, "./x/one", RequestKind::Import), path("./1.js"));
        assert_eq!(given(map, "./y", RequestKind::Import), Target::Unsaid);
        let list = r#"{".":[null,"a.js","../b.js","./node_modules/c.js","./d.js"],"./e":[null,1]}"#;
        assert_eq!(given(list, ".", RequestKind::Import), path("./d.js"));
        assert_eq!(given(list, "./e", RequestKind::Import), Target::Withheld);
        let imports: Value =
            serde_json::from_str(r##"{"#a":["/x","./y/../z.js","dayjs"]}"##).unwrap();
        let own = own(&imports, "#a", RequestKind::Import);
        assert_eq!(own, path("dayjs"));
    }
}
