//! What a tool does, and what a query asks to be done: verbs by kinds.
//!
//! Many tools of a server are about the same thing, and the verb alone tells them apart; but verbs
//! are so frequent that they hardly count as words, and people use others than tools do.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::{stem, words};

/// By how much a tool counts more whose name has a verb of the kind that is asked for first, or
/// later, and by how much less where its verbs are of other kinds.
const FIRST: f32 = 1.3;
const LATER: f32 = 1.1;
const OTHER: f32 = 0.9;

/// A set of kinds, a bit each.
type Kinds = u32;

/// The kinds of verbs that tools are named after, with what people say for them. The first three are
/// what a question asks for.
const KINDS: [&str; 28] = [
    "get read fetch retrieve show view display load describe inspect see look tell give check details info",
    "list enumerate browse show get see overview",
    "search find query lookup look locate discover filter seek hunt",
    "download export save",
    "compare diff differ contrast",
    "count sum calculate compute aggregate total measure estimate summarize analyze evaluate",
    "validate verify check test assert ensure confirm",
    "create make add new insert register generate build open start begin provision establish set write",
    "upload import attach push put",
    "copy duplicate clone fork replicate",
    "send post submit publish share deliver notify email message broadcast announce",
    "reply respond answer comment",
    "save store write put persist keep record append log",
    "schedule book plan reserve arrange",
    "update edit change modify alter set patch adjust correct fix write put replace configure customize rename rewrite revise amend manage",
    "move transfer relocate shift drag",
    "assign delegate hand",
    "merge combine join",
    "enable activate allow turn switch toggle",
    "disable deactivate turn switch toggle",
    "delete remove drop erase clear wipe discard trash throw destroy purge rid unregister prune empty uninstall forget",
    "revoke deny reject decline refuse dismiss",
    "stop cancel abort end halt terminate kill shut close",
    "archive",
    "restore recover undo revert rollback undelete reset",
    "run execute trigger start launch invoke perform call kick evaluate rerun retry restart",
    "approve accept confirm sign",
    "convert transform translate format",
];

const OF_QUESTIONS: Kinds = 0b111;

/// Words that questions begin with.
const QUESTIONS: &[&str] = &[
    "are", "did", "does", "has", "have", "is", "was", "were", "what", "when", "where", "which",
    "who", "whose", "why",
];

/// What follows `how` where the question is how to do something.
const HOW_TO: &[&str] = &["can", "could", "do", "should", "to", "would"];

static KNOWN: LazyLock<HashMap<String, Kinds>> = LazyLock::new(|| {
    let mut known = HashMap::new();
    for (kind, verbs) in KINDS.iter().enumerate() {
        for verb in verbs.split_whitespace().map(stem) {
            *known.entry(verb).or_default() |= 1 << kind;
        }
    }
    known
});

fn kinds_of(stem: &str) -> Kinds {
    KNOWN.get(stem).copied().unwrap_or_default()
}

/// What a tool does, as its name says.
#[derive(Clone, Copy)]
pub(super) struct Action(Kinds);

impl Action {
    /// By the words of a name, without endings.
    pub(super) fn named<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let kinds = words.into_iter().map(kinds_of);
        Self(kinds.fold(0, |all, kinds| all | kinds))
    }
}

/// What a query asks to be done.
pub(super) struct AskedAction {
    first: Kinds,
    later: Kinds,
}

impl AskedAction {
    pub(super) fn of(query: &str) -> Self {
        let words = words(query);
        let verbs = words.iter().map(|word| kinds_of(&stem(word)));
        let mut verbs = verbs.filter(|kinds| *kinds != 0);
        let first = verbs.next().unwrap_or_default();
        let of_questions = match is_question(&words) {
            true => OF_QUESTIONS,
            false => 0,
        };
        Self {
            first: first | of_questions,
            later: verbs.fold(0, |all, kinds| all | kinds),
        }
    }

    /// By how much a tool counts more that does this.
    pub(super) fn fit(&self, Action(kinds): Action) -> f32 {
        match (self.first, kinds) {
            (0, _) | (_, 0) => 1.0,
            (first, kinds) if first & kinds != 0 => FIRST,
            (_, kinds) if self.later & kinds != 0 => LATER,
            _ => OTHER,
        }
    }
}

/// Whether something is to be found out, rather than done.
fn is_question(words: &[String]) -> bool {
    let is_one_of = |word: &String, these: &[&str]| these.contains(&word.as_str());
    match words {
        [how, next, ..] if how == "how" => !is_one_of(next, HOW_TO),
        [first, ..] => is_one_of(first, QUESTIONS),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(query: &str, name: &str) -> f32 {
        let words: Vec<String> = words(name).iter().map(|word| stem(word)).collect();
        AskedAction::of(query).fit(Action::named(words.iter().map(String::as_str)))
    }

    #[test]
    fn verbs_of_one_kind_are_one() {
        for (query, name) in [
            ("read a file", "get_file_contents"),
            ("registering a webhook", "createWebhook"),
            ("remove the old label", "labels.delete"),
            ("which branches are there", "list_branches"),
            ("How many rows has the table?", "get_row_count"),
        ] {
            assert_eq!(fit(query, name), FIRST, "{query}");
        }
        assert_eq!(fit("remove the old label", "create_label"), OTHER);
        assert_eq!(fit("How do I remove a label?", "get_label"), OTHER);
        assert_eq!(fit("create a label and delete it", "delete_label"), LATER);
        assert_eq!(fit("labels", "delete_label"), 1.0);
        // The names of products are not verbs.
        assert_eq!(fit("DropBox files", "delete_file"), 1.0);
        assert_eq!(fit("delete a label", "label"), 1.0);
    }
}
