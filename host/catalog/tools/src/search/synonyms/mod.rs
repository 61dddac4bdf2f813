//! Words that mean the same where tools are spoken of: what people ask for, and what servers call
//! it.

mod abbreviations;
mod deeds;
mod things;

use std::collections::HashMap;
use std::sync::LazyLock;

use self::abbreviations::ABBREVIATIONS;
use self::deeds::DEEDS;
use self::things::THINGS;
use super::words::stem;

/// How much a word counts that stands for the one that was asked for: a thing by another name, and
/// a deed, of which tools are distinguished less surely.
const THING: f32 = 0.75;
const DEED: f32 = 0.5;

/// How much what an abbreviation stands for counts.
const ABBREVIATED: f32 = 0.9;

/// The words that one may stand for, each with how much that counts.
static MEANT: LazyLock<HashMap<String, Vec<(String, f32)>>> = LazyLock::new(|| {
    let mut meant: HashMap<String, Vec<(String, f32)>> = HashMap::new();
    let lines = |lines: &'static [&str], counts| lines.iter().map(move |line| (line, counts));
    let all = lines(ABBREVIATIONS, ABBREVIATED)
        .chain(lines(THINGS, THING))
        .chain(lines(DEEDS, DEED));
    for (line, counts) in all {
        let (asked, said) = line.split_once('>').unwrap_or((line, line));
        for asked in asked.split_whitespace().map(stem) {
            let known = meant.entry(asked.clone()).or_default();
            for said in said.split_whitespace().map(stem) {
                if said != asked && !known.iter().any(|(word, _)| *word == said) {
                    known.push((said, counts));
                }
            }
        }
    }
    meant
});

/// What a word, without its endings, may stand for beside itself.
pub(super) fn of(word: &str) -> &'static [(String, f32)] {
    MEANT.get(word).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(word: &str, other: &str) -> Option<f32> {
        let (_, counts) = of(&stem(word))
            .iter()
            .find(|(said, _)| *said == stem(other))?;
        Some(*counts)
    }

    #[test]
    fn words_stand_for_each_other_or_one_way() {
        assert_eq!(counts("folder", "directory"), Some(THING));
        assert_eq!(counts("directories", "folder"), Some(THING));
        assert_eq!(counts("drop", "delete"), Some(DEED));
        assert_eq!(counts("pr", "pull"), Some(ABBREVIATED));
        assert_eq!(counts("pull", "pr"), None);
        assert_eq!(of("unheard"), []);
    }

    #[test]
    fn no_word_stands_for_very_many() {
        let most = MEANT.values().map(Vec::len).max().unwrap();
        assert!((10..=40).contains(&most), "{most}");
    }
}
