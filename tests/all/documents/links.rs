//! Links lead to files, and to headings that are in them.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::{documents, read};

/// The targets of a line's links: what stands in `](…)`.
fn links(line: &str) -> Vec<&str> {
    let behind = line.split("](").skip(1);
    behind
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
        .collect()
}

/// The text of a heading as a reader sees it: of a link, what it shows.
fn shown(heading: &str) -> String {
    let mut parts = heading.split("](");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown += part.split_once(')').map_or(part, |(_, rest)| rest);
    }
    shown
}

/// The anchor of a heading: mdBook and GitHub make the same of it.
fn anchor(heading: &str) -> String {
    let kept = |character: char| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        _ => character.is_alphanumeric().then_some(character),
    };
    let lower = shown(heading.trim()).to_lowercase();
    lower.chars().filter_map(kept).collect()
}

/// The anchors of a document's headings. Of several of one name, the later ones are numbered.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let marks = line.len() - line.trim_start_matches('#').len();
        let is_heading = (1..=6).contains(&marks) && line[marks..].starts_with(' ');
        if is_code || !is_heading {
            continue;
        }
        let anchor = anchor(&line[marks..]);
        let before = times.entry(anchor.clone()).or_default();
        found.insert(match *before {
            0 => anchor,
            before => format!("{anchor}-{before}"),
        });
        *before += 1;
    }
    found
}

/// What is wrong with a link of a document.
fn fault(file: &Path, target: &str) -> Option<String> {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let to = match path {
        "" => file.to_owned(),
        path => file.parent().expect("a folder").join(path),
    };
    if !to.exists() {
        return Some(format!("{}: {target}: no such file", file.display()));
    }
    let has_headings = to.extension().is_some_and(|extension| extension == "md");
    let leads = anchor.is_empty() || (has_headings && anchors(&read(&to)).contains(anchor));
    (!leads).then(|| format!("{}: {target}: no heading has this anchor", file.display()))
}

#[test]
fn links_lead_to_files_and_headings() {
    let (mut broken, mut seen, mut with_anchors) = (Vec::new(), 0, 0);
    for file in documents() {
        let text = read(&file);
        let targets = text.lines().flat_map(links);
        for target in targets.filter(|target| !target.contains("://") && !target.is_empty()) {
            seen += 1;
            with_anchors += usize::from(target.contains('#'));
            broken.extend(fault(&file, target));
        }
    }
    assert!(seen > 300 && with_anchors > 50, "{seen}, {with_anchors}");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn headings_become_anchors_as_on_the_site() {
    let text = "# A page\n## `[servers.NAME]`: how, why?\n## Format\n```sh\n# no heading\n```\n\
        ## Format\n### [A link](elsewhere.md), and more_of it\n#no heading\n";
    let expected = [
        "a-link-and-more_of-it",
        "a-page",
        "format",
        "format-1",
        "serversname-how-why",
    ];
    assert!(anchors(text).iter().eq(expected), "{:?}", anchors(text));
}
