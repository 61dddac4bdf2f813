//! What tools mean, beside the words that are said about them.
//!
//! A model turns texts into vectors; this crate knows none, only what it needs of one. The vectors
//! of an index's tools are made in the background, and until all are there, words alone answer.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use ampoule_effort::{Effort, EffortError};
use ampoule_projection::Tool;
use ampoule_projection::names::words;
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::search::glossary;

/// How much of a tool's description is embedded, in characters.
const MAX_DESCRIPTION: usize = 200;
/// How many texts are embedded in one turn: others wait meanwhile, for some 50 ms.
const BATCH: usize = 4;
/// How long vectors may be unsaved: a process that ends loses no more than what it made in that time.
const UNSAVED: Duration = Duration::from_secs(1);
/// How long a search waits that a person has asked for at a terminal. What was made by then is kept.
const A_PERSON_WAITS: Duration = Duration::from_secs(10);
/// How long to wait before looking again for what another process makes.
const PATIENCE: Duration = Duration::from_millis(500);

/// What says what texts mean.
pub trait Meaning: Send + Sync + 'static {
    /// The vectors of texts, as far as they have been made before, here or in other processes.
    fn known(&self, texts: &[String]) -> Vec<Option<Vector>>;

    /// Whose turn it is to make vectors: of all processes, one does.
    fn turn(&self) -> Turn;

    /// The vector of a text, which is remembered.
    ///
    /// # Errors
    ///
    /// It can't be made. An error of the model is in the log once, and not for each text: who
    /// implements this writes it there.
    fn embed(&self, text: &str, effort: &Effort) -> Result<Vector, MeaningError>;

    /// Keeps what was made since this was last called, for other processes and later ones.
    fn save(&self);

    /// The vector of a question, which is forgotten.
    ///
    /// # Errors
    ///
    /// It can't be made.
    fn question(&self, text: &str, effort: &Effort) -> Result<Vector, MeaningError>;
}

/// Whose turn it is to make vectors.
pub enum Turn {
    /// Ours, until this is dropped.
    Ours(Box<dyn Send>),
    /// That of another process, or of another task of this one.
    Others,
}

/// Why there is no vector.
#[derive(Debug, Clone, thiserror::Error)]
pub enum MeaningError {
    /// The model can't be used.
    #[error("{0}")]
    Model(String),
    /// Nobody pays for the work, or waits for it.
    #[error(transparent)]
    Effort(#[from] EffortError),
}

/// A direction: what a text means. Cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    numbers: Arc<[i8]>,
    /// One divided by its length; 0 where it has none.
    scale: f32,
}

impl Vector {
    /// The direction of these numbers. Each is kept in 8 bits.
    pub fn of(numbers: &[f32]) -> Self {
        let most = numbers
            .iter()
            .fold(0.0_f32, |most, number| most.max(number.abs()));
        let scale = f32::from(i8::MAX) / most.max(f32::MIN_POSITIVE);
        let numbers = numbers.iter().map(|number| (number * scale).round() as i8);
        Self::from(numbers.collect::<Arc<[i8]>>())
    }

    /// Its numbers.
    pub fn numbers(&self) -> &[i8] {
        &self.numbers
    }

    /// Itself, for as long as somebody else uses it.
    pub fn downgrade(&self) -> Weak<[i8]> {
        Arc::downgrade(&self.numbers)
    }

    /// The cosine between two of them: 1 where they point the same way, 0 where they have nothing in
    /// common.
    pub fn similarity(&self, other: &Self) -> f32 {
        product(&self.numbers, &other.numbers) as f32 * self.scale * other.scale
    }
}

impl From<Arc<[i8]>> for Vector {
    fn from(numbers: Arc<[i8]>) -> Self {
        let square = product(&numbers, &numbers);
        let scale = match square {
            ..=0 => 0.0,
            square => 1.0 / (square as f32).sqrt(),
        };
        Self { numbers, scale }
    }
}

impl From<Vec<i8>> for Vector {
    fn from(numbers: Vec<i8>) -> Self {
        Self::from(Arc::<[i8]>::from(numbers))
    }
}

fn product(a: &[i8], b: &[i8]) -> i32 {
    let pairs = a.iter().zip(b);
    // Vectors of a model are far too short for the sum to wrap.
    pairs.fold(0_i32, |sum, (a, b)| {
        sum.wrapping_add(i32::from(i16::from(*a) * i16::from(*b)))
    })
}

/// The vectors of a tool.
pub(crate) struct ToolVectors {
    /// Of what is said about it.
    pub(crate) document: Vector,
    /// Of its name, and what the terms in it mean.
    pub(crate) name: Vector,
}

/// The vectors of some tools, once all are there.
pub(crate) struct VectorTable(watch::Sender<State>);

#[derive(Clone)]
enum State {
    /// So many tools are still to be embedded.
    Making(usize),
    /// The vectors, in the order of the tools.
    Ready(Arc<[ToolVectors]>),
    /// They can't be made.
    Failed(String),
}

impl VectorTable {
    /// The vectors of these tools, each with its server's name. Those that are not known yet are
    /// made in the background.
    pub(crate) fn of<'a>(
        meaning: &Arc<dyn Meaning>,
        tools: impl Iterator<Item = (&'a str, &'a Tool)>,
        tokio: Option<&Handle>,
    ) -> Arc<Self> {
        let texts: Vec<String> = tools
            .flat_map(|(server, tool)| texts(server, tool))
            .collect();
        let table = Arc::new(Self(watch::Sender::new(State::Making(texts.len() / 2))));
        let known = meaning.known(&texts);
        if table.fill(&known) {
            return table;
        }
        match tokio {
            Some(tokio) => {
                let work = embed(Arc::clone(meaning), Arc::downgrade(&table), texts, known);
                drop(tokio.spawn(work));
            }
            None => table.fail("there is no Tokio to embed tools in".to_owned()),
        }
        table
    }

    /// The vectors, in the order of the tools; none while some are missing.
    pub(crate) fn ready(&self) -> Option<Arc<[ToolVectors]>> {
        match &*self.0.borrow() {
            State::Ready(vectors) => Some(Arc::clone(vectors)),
            State::Making(_) | State::Failed(_) => None,
        }
    }

    /// Waits until they are there or can't be made, and no longer than a person would.
    pub(crate) async fn settled(&self) {
        let mut states = self.0.subscribe();
        let settled = states.wait_for(|state| !matches!(state, State::Making(_)));
        let _ = tokio::time::timeout(A_PERSON_WAITS, settled).await;
    }

    /// What a search says while words alone answer.
    pub(crate) fn note(&self) -> Option<String> {
        match &*self.0.borrow() {
            State::Ready(_) => None,
            State::Failed(why) => Some(format!("found by words alone: {why}")),
            State::Making(1) => {
                Some("found by words alone while 1 tool is being embedded".to_owned())
            }
            State::Making(left) => Some(format!(
                "found by words alone while {left} tools are being embedded"
            )),
        }
    }

    /// Takes these, if there are all; else counts what is missing.
    fn fill(&self, known: &[Option<Vector>]) -> bool {
        let (pairs, _) = known.as_chunks::<2>();
        let all = pairs.iter().map(|[document, name]| {
            Some(ToolVectors {
                document: document.clone()?,
                name: name.clone()?,
            })
        });
        let all: Option<Arc<[ToolVectors]>> = all.collect();
        let is_full = all.is_some();
        let missing = || pairs.iter().filter(|pair| pair.contains(&None)).count();
        self.0.send_replace(match all {
            Some(vectors) => State::Ready(vectors),
            None => State::Making(missing()),
        });
        is_full
    }

    fn fail(&self, why: String) {
        self.0.send_replace(State::Failed(why));
    }
}

/// What is embedded of a tool: what is said about it, and its name; both with what the terms in the
/// name mean in everyday words.
fn texts(server: &str, tool: &Tool) -> [String; 2] {
    let name = words(&tool.name).join(" ");
    let description = tool.description.as_deref().unwrap_or_default();
    let about: String = description.chars().take(MAX_DESCRIPTION).collect();
    let document = format!("{} {name}: {about}", words(server).join(" "));
    match glossary::meaning(&tool.name) {
        meaning if meaning.is_empty() => [document, name],
        meaning => [
            format!("{document} ({meaning})"),
            format!("{name}: {meaning}"),
        ],
    }
}

/// Makes the vectors that are missing, a few at a time, as long as somebody may search by them.
async fn embed(
    meaning: Arc<dyn Meaning>,
    table: Weak<VectorTable>,
    texts: Vec<String>,
    mut known: Vec<Option<Vector>>,
) {
    let texts: Arc<[String]> = texts.into();
    let _turn = loop {
        let turn = meaning.turn();
        // Others may have made some until now.
        let (meaning, texts) = (Arc::clone(&meaning), Arc::clone(&texts));
        let looked = Effort::default().elsewhere(move |_| Ok(meaning.known(&texts)));
        if let Ok(looked) = looked.await {
            known = looked;
        }
        match table.upgrade() {
            Some(table) if !table.fill(&known) => {}
            _ => return,
        }
        if let Turn::Ours(turn) = turn {
            break turn;
        }
        tokio::time::sleep(PATIENCE).await;
    };
    let missing = (0..texts.len()).filter(|place| known[*place].is_none());
    let mut missing: VecDeque<usize> = missing.collect();
    let mut saved = Instant::now();
    while !missing.is_empty() {
        let batch: Vec<usize> = missing.drain(..BATCH.min(missing.len())).collect();
        let saves = missing.is_empty() || saved.elapsed() >= UNSAVED;
        if saves {
            saved = Instant::now();
        }
        let (meaning, texts, places) = (Arc::clone(&meaning), Arc::clone(&texts), batch.clone());
        let made = Effort::default().elsewhere(move |effort| {
            let made = places
                .iter()
                .map(|place| meaning.embed(&texts[*place], effort));
            let made: Result<Vec<Vector>, MeaningError> = made.collect();
            if saves || made.is_err() {
                meaning.save();
            }
            Ok(made)
        });
        let made = made.await.map_err(MeaningError::from).flatten();
        let Some(table) = table.upgrade() else {
            return;
        };
        match made {
            Ok(made) => (batch.into_iter().zip(made))
                .for_each(|(place, vector)| known[place] = Some(vector)),
            Err(error) => {
                // The model itself has said so, once.
                tracing::debug!(%error, "tools can't be embedded");
                return table.fail(error.to_string());
            }
        }
        match missing.is_empty() {
            true => drop(table.fill(&known)),
            false => drop(
                table
                    .0
                    .send_replace(State::Making(missing.len().div_ceil(2))),
            ),
        }
    }
}

#[cfg(test)]
mod tests;
