//! Which skills some code may import: those whose names stand behind `skills/`, `skills.` or the
//! like. Code is not parsed for that; what is found too much costs little.

use std::collections::{BTreeMap, BTreeSet};

use crate::skills::name::SkillName;

/// How much may stand between `from skills import` and the last of the names.
const LONGEST_LIST: usize = 2_000;

/// What is looked for before names.
const BEFORE: [&str; 3] = ["skills/", "skills.", "../"];
const LIST: &str = "skills import";

/// A name as it is written where something is imported, and the skill that it means.
pub type Mention = (String, SkillName);

/// The skills of those names that the code mentions.
pub fn mentioned<'a>(
    code: &str,
    names: impl IntoIterator<Item = &'a SkillName>,
) -> BTreeSet<Mention> {
    let names = names.into_iter();
    let names: BTreeMap<String, &SkillName> = names
        .map(|name| (SkillName::folded(name.as_str()), name))
        .collect();
    let mut found = BTreeSet::new();
    let mut look = |written: &str| {
        if let Some(name) = names.get(&SkillName::folded(written)) {
            found.insert((written.to_owned(), (*name).clone()));
        }
    };
    for before in BEFORE {
        for (at, _) in code.match_indices(before) {
            look(word(&code[at + before.len()..]));
        }
    }
    for (at, _) in code.match_indices(LIST) {
        let list = &code[at + LIST.len()..];
        let list = &list[..list.floor_char_boundary(LONGEST_LIST)];
        // What stands in brackets may go over lines.
        let end = match list.trim_start().starts_with('(') {
            true => list.find(')'),
            false => list.find(['\n', ';']),
        };
        let list = &list[..end.unwrap_or(list.len())];
        list.split(|letter| !is_part(letter)).for_each(&mut look);
    }
    found
}

/// The word that a text begins with.
fn word(text: &str) -> &str {
    &text[..text.find(|letter| !is_part(letter)).unwrap_or(text.len())]
}

fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str) -> Vec<String> {
        let names = ["save-sheet-as-csv", "totals"].map(|name| SkillName::new(name).unwrap());
        let found = mentioned(code, &names).into_iter();
        found
            .map(|(written, name)| format!("{written}={name}"))
            .collect()
    }

    #[test]
    fn names_are_found_as_they_are_written() {
        let csv = "save-sheet-as-csv";
        for (code, written) in [
            ("import { a } from \"./skills/save-sheet-as-csv\"", csv),
            (
                "import * as s from '../skills/save-sheet-as-csv/index.ts'",
                csv,
            ),
            ("await import(`skills/saveSheetAsCsv`)", "saveSheetAsCsv"),
            (
                "from skills.save_sheet_as_csv import save",
                "save_sheet_as_csv",
            ),
            (
                "from skills import (other,\n  save_sheet_as_csv as s)",
                "save_sheet_as_csv",
            ),
        ] {
            assert_eq!(found(code), [format!("{written}={csv}")], "{code}");
        }
        assert_eq!(
            found("from skills import totals; save_sheet_as_csv"),
            ["totals=totals"]
        );
        assert_eq!(found("import { t } from '../totals'"), ["totals=totals"]);
        assert_eq!(found("return totals + skills.length"), [""; 0]);
    }
}
