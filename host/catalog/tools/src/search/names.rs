//! The names by which queries ask for tools.

use std::collections::HashSet;
use std::sync::Arc;

use ampoule_projection::Tool;
use ampoule_projection::names::canonical;

use super::actions::Action;
use super::lexicon::Lexicon;
use super::text::ToolText;

/// The names of a tool and its server, as queries may have them.
pub(super) struct Names {
    tool: Box<str>,
    /// The words of its name, each once, those of the server's left out.
    words: Box<[Arc<str>]>,
    server: Arc<Server>,
    action: Action,
}

/// The name of a server, as queries may have it.
struct Server {
    name: Box<str>,
    canonical: Box<str>,
    words: HashSet<Arc<str>>,
}

/// The names of tools, of which those of one server follow each other.
pub(super) fn of(tools: &[(&str, &Tool)], said: &[ToolText], lexicon: &Lexicon) -> Vec<Names> {
    let mut server: Option<Arc<Server>> = None;
    let names = tools.iter().zip(said).map(|((binding, tool), said)| {
        let last = server.take().filter(|server| *server.name == **binding);
        let server = server.insert(last.unwrap_or_else(|| {
            let words = said.server().iter();
            Arc::new(Server {
                name: (*binding).into(),
                canonical: canonical(binding).into(),
                words: words.map(|word| Arc::clone(lexicon.word(*word))).collect(),
            })
        }));
        let (mut words, mut once) = (Vec::new(), HashSet::new());
        for word in said.name() {
            if once.insert(*word) && !server.words.contains(lexicon.word(*word)) {
                words.push(Arc::clone(lexicon.word(*word)));
            }
        }
        Names {
            tool: canonical(&tool.name).into(),
            action: Action::named(words.iter().map(|word| &**word)),
            words: words.into(),
            server: Arc::clone(server),
        }
    });
    names.collect()
}

impl Names {
    /// Whether a query is the tool's name: as it is written, or its words in any order, perhaps
    /// with some of the server's.
    pub(super) fn are_asked_for(&self, query: &str, asked: &HashSet<&str>) -> bool {
        let in_other_words = || {
            !self.words.is_empty()
                && self.words.iter().all(|word| asked.contains(&**word))
                && asked.iter().all(|word| {
                    self.words.iter().any(|own| **own == **word)
                        || self.server.words.contains(*word)
                })
        };
        let name = query.strip_prefix(&*self.server.canonical);
        *query == *self.tool || name == Some(&*self.tool) || in_other_words()
    }

    /// How many of the name's words are such.
    pub(super) fn share_of(&self, are: impl Fn(&str) -> bool) -> f32 {
        let such = self.words.iter().filter(|word| are(word)).count();
        such as f32 / self.words.len().max(1) as f32
    }

    /// The words of the server's name.
    pub(super) fn server(&self) -> impl Iterator<Item = &str> {
        self.server.words.iter().map(|word| &**word)
    }

    /// What the tool does, as its name says.
    pub(super) fn action(&self) -> Action {
        self.action
    }

    /// How much two tools are named alike: the share of words that both have, of one server.
    pub(super) fn alike(&self, other: &Self) -> f32 {
        if !Arc::ptr_eq(&self.server, &other.server) {
            return 0.0;
        }
        let both = self.words.iter().filter(|word| other.words.contains(word));
        let both = both.count();
        let all = self.words.len() + other.words.len() - both;
        both as f32 / all.max(1) as f32
    }
}
