//! Whether questions find their tools: over the tool lists of ten real servers, and over lists of
//! which one part was tuned by and the other never was. Who wrote the questions had not seen the
//! search.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::*;

#[derive(Deserialize)]
struct Question {
    ask: String,
    /// Any of these is right.
    tools: Vec<String>,
    /// `tuning`, or `kept`: the search was not tuned by those.
    #[serde(default)]
    part: String,
}

/// Tool lists, and questions about them.
struct Corpus {
    tools: PathBuf,
    questions: PathBuf,
}

impl Corpus {
    /// The lists of the project's own questions.
    fn own(questions: &str) -> Self {
        Self {
            tools: corpora().join("tools"),
            questions: corpora().join(questions),
        }
    }

    /// A folder with both.
    fn of(folder: PathBuf) -> Self {
        Self {
            tools: folder.join("tools"),
            questions: folder.join("questions.json"),
        }
    }

    /// The tools of all lists, each with its server.
    fn listed(&self) -> Vec<(String, Tool)> {
        let files = fs::read_dir(&self.tools).unwrap();
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        let tools = files.iter().flat_map(|file| {
            let server = file.file_stem().unwrap().to_str().unwrap().to_owned();
            let list: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
            let tools: Vec<Tool> =
                serde_json::from_value(list.get("tools").cloned().unwrap_or(list)).unwrap();
            tools.into_iter().map(move |tool| (server.clone(), tool))
        });
        tools.collect()
    }

    fn recall(&self, part: Option<&str>) -> Recall {
        let tools = self.listed();
        let index = Index::new(tools.iter().map(|(server, tool)| (&**server, tool)));
        let all = fs::read_to_string(&self.questions).unwrap();
        let mut asked: Vec<Question> = serde_json::from_str(&all).unwrap();
        asked.retain(|question| part.is_none_or(|part| question.part == part));
        let (mut first, mut among_five, mut among_ten) = (0, 0, 0);
        let mut missed = Vec::new();
        for question in &asked {
            let found = index.search(&question.ask, 10);
            let names = found.iter().map(|hit| {
                let (server, tool) = &tools[hit.index];
                format!("{server}.{}", tool.name)
            });
            let mut names: Vec<String> = names.collect();
            let place = names.iter().position(|name| question.tools.contains(name));
            let place = place.unwrap_or(usize::MAX);
            first += usize::from(place == 0);
            among_five += usize::from(place < 5);
            among_ten += usize::from(place < 10);
            if place >= 5 {
                names.truncate(5);
                missed.push(format!("{:?} found {names:?}", question.ask));
            }
        }
        let share = |count: usize| count as f64 / asked.len() as f64;
        Recall {
            shares: Shares {
                first: share(first),
                among_five: share(among_five),
                among_ten: share(among_ten),
            },
            missed,
        }
    }
}

/// The shares of questions whose tool is found first, and among the first five and ten.
#[derive(Debug)]
struct Shares {
    first: f64,
    among_five: f64,
    among_ten: f64,
}

/// How well some questions find their tools.
struct Recall {
    shares: Shares,
    missed: Vec<String>,
}

impl Recall {
    fn reaches(&self, floor: &Shares) -> bool {
        self.shares.first >= floor.first
            && self.shares.among_five >= floor.among_five
            && self.shares.among_ten >= floor.among_ten
    }

    fn holds(&self, floor: &Shares) {
        let (shares, missed) = (&self.shares, &self.missed);
        assert!(self.reaches(floor), "{shares:?}; missed: {missed:#?}");
    }
}

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/corpora")
}

#[test]
fn questions_find_their_tools() {
    let floor = Shares {
        first: 0.8,
        among_five: 0.95,
        among_ten: 0.95,
    };
    for part in ["tuning", "kept"] {
        Corpus::own("questions.json")
            .recall(Some(part))
            .holds(&floor);
    }
}

/// The authors of these were asked not to use a description's words. The search has been tuned by
/// them.
#[test]
fn paraphrases_mostly_find_their_tools() {
    let floor = Shares {
        first: 0.68,
        among_five: 0.89,
        among_ten: 0.93,
    };
    Corpus::own("paraphrases.json").recall(None).holds(&floor);
}

/// A half of the questions about lists of other servers.
fn half(name: &str) -> Corpus {
    Corpus::of(corpora().join("search").join(name))
}

/// The search has been tuned by these.
#[test]
fn questions_of_the_tuned_half_find_their_tools() {
    half("tuned").recall(None).holds(&Shares {
        first: 0.61,
        among_five: 0.84,
        among_ten: 0.88,
    });
}

/// Nobody who tunes has seen these, so this does not say which were missed.
#[test]
fn questions_of_the_unseen_half_find_their_tools() {
    let found = half("unseen").recall(None);
    let floor = Shares {
        first: 0.43,
        among_five: 0.65,
        among_ten: 0.75,
    };
    assert!(found.reaches(&floor), "{:?}", found.shares);
}
