//! The engine's sources with the changes of `c/changes`: unified diffs, each of one source, against
//! it as it was published. Each is made at the very lines that it names: a library that looks for the nearest
//! place where it fits, as patches are made elsewhere, could find another.

/// The lines that a place of the source has instead of its own.
struct Hunk<'a> {
    /// The first line that is replaced, counted from zero.
    line: usize,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

/// What the source that a diff changes is called.
///
/// # Panics
///
/// The diff names none.
pub(crate) fn source_of(diff: &str) -> &str {
    let name = diff.lines().find_map(|line| line.strip_prefix("+++ "));
    name.expect("a diff names its source")
}

/// The source of a name, changed by those of the diffs that are for it.
///
/// # Panics
///
/// A diff is for another version of it, or changes what another one does.
pub(crate) fn apply(name: &str, source: &str, diffs: &[String]) -> String {
    let diffs = diffs.iter().filter(|diff| source_of(diff) == name);
    let mut hunks: Vec<Hunk<'_>> = diffs.flat_map(|diff| hunks(diff)).collect();
    hunks.sort_by_key(|hunk| hunk.line);
    let lines: Vec<&str> = source.lines().collect();
    let mut changed = String::with_capacity(source.len());
    let mut done = 0;
    for hunk in hunks {
        let end = hunk.line + hunk.old.len();
        assert!(hunk.line >= done, "two changes of line {}", hunk.line + 1);
        assert!(
            lines.get(hunk.line..end) == Some(&hunk.old),
            "a change of line {} is for another source",
            hunk.line + 1
        );
        push(&mut changed, &lines[done..hunk.line]);
        push(&mut changed, &hunk.new);
        done = end;
    }
    push(&mut changed, &lines[done..]);
    changed
}

fn push(text: &mut String, lines: &[&str]) {
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
}

fn hunks(diff: &str) -> Vec<Hunk<'_>> {
    let mut hunks: Vec<Hunk<'_>> = Vec::new();
    for line in diff.lines().skip_while(|line| !line.starts_with("@@")) {
        if let Some(place) = line.strip_prefix("@@ -") {
            let line = place.split([',', ' ']).next();
            let line: usize = line
                .and_then(|line| line.parse().ok())
                .expect("a line number");
            hunks.push(Hunk {
                line: line - 1,
                old: Vec::new(),
                new: Vec::new(),
            });
            continue;
        }
        let hunk = hunks.last_mut().expect("a hunk begins with @@");
        let (kind, text) = line.split_at_checked(1).unwrap_or((" ", ""));
        if matches!(kind, " " | "-") {
            hunk.old.push(text);
        }
        if matches!(kind, " " | "+") {
            hunk.new.push(text);
        }
    }
    hunks
}
