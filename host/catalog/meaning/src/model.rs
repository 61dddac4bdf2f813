//! A model, read from its file when it is first needed.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{OnceLock, Weak};

use ampoule_effort::{Effort, thread_that_gives_way};
use ampoule_tools::meaning::{Meaning, MeaningError, Turn, Vector};
use parking_lot::Mutex;
use rayon::ThreadPool;

use crate::file::{self, Tensors};
use crate::layers::Layers;
use crate::shelf::{self, Key, Shelf};
use crate::words::Vocabulary;
use crate::{FILE, ModelError};

/// How many words of a text are read. Longer texts cost more, and find no better.
const MAX_WORDS: usize = 96;
/// How many vectors are remembered before those are forgotten that nobody uses.
const REMEMBERED: usize = 4_096;

/// A model that says what texts mean.
pub struct Model {
    path: PathBuf,
    /// The model once it was needed, or why it can't be used: the file is read once.
    loaded: OnceLock<Result<LoadedModel, ModelError>>,
    shelf: Option<Shelf>,
    memory: Mutex<Memory>,
}

struct LoadedModel {
    vocabulary: Vocabulary,
    layers: Layers,
    /// One thread computes, so that a product is not shared out to all cores.
    thread: ThreadPool,
}

#[derive(Default)]
struct Memory {
    /// Vectors that are in use.
    known: HashMap<Key, Weak<[i8]>>,
    /// Those that are not on disk yet.
    unsaved: Vec<(Key, Vector)>,
}

impl Model {
    /// The model of a file, whose vectors are kept in a folder, if there is one. The file is read
    /// when a text is first embedded.
    ///
    /// # Errors
    ///
    /// The file is missing, or is not a model.
    pub fn new(path: &Path, folder: Option<PathBuf>) -> Result<Self, ModelError> {
        let key = file::key(path)?;
        Ok(Self {
            path: path.to_owned(),
            loaded: OnceLock::new(),
            shelf: folder.map(|folder| Shelf::new(folder, &key)),
            memory: Mutex::default(),
        })
    }

    /// The file of a model that is beside the program, or in `share/ampoule` beside the program's
    /// folder, if there is one.
    pub fn beside_the_program() -> Option<PathBuf> {
        let program = std::env::current_exe().ok()?.canonicalize().ok()?;
        let folder = program.parent()?;
        let beside = folder.join(FILE);
        let shared = folder
            .parent()
            .map(|prefix| prefix.join("share/ampoule").join(FILE));
        [Some(beside), shared]
            .into_iter()
            .flatten()
            .find(|path| path.is_file())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Embeds one word.
    ///
    /// # Errors
    ///
    /// Why the model can't be used.
    pub fn prove(&self) -> Result<(), ModelError> {
        self.vector("tool", &Effort::default()).map(drop)
    }

    fn loaded(&self) -> Result<&LoadedModel, ModelError> {
        let loaded = self.loaded.get_or_init(|| {
            LoadedModel::read(&self.path).inspect_err(|error| {
                let path = self.path.display();
                tracing::warn!(%path, %error, "the model can't be used: searches are by words alone until Ampoule is started again");
            })
        });
        loaded.as_ref().map_err(ModelError::clone)
    }

    /// What a text means.
    ///
    /// # Errors
    ///
    /// The model can't be read, or nobody pays for the work.
    pub fn vector(&self, text: &str, effort: &Effort) -> Result<Vector, ModelError> {
        let LoadedModel {
            vocabulary,
            layers,
            thread,
        } = self.loaded()?;
        let ids = vocabulary.ids(text, MAX_WORDS);
        let numbers = thread.install(|| layers.vector(&ids, effort))?;
        Ok(Vector::of(&numbers))
    }
}

impl LoadedModel {
    fn read(path: &Path) -> Result<Self, ModelError> {
        let content = file::read(path)?;
        let tensors = Tensors::of(&content)?;
        let layers = Layers::of(&tensors)?;
        let text = tensors.text("vocabulary")?;
        if text.lines().count() != layers.vocabulary() || layers.most_words() < MAX_WORDS {
            return Err(ModelError::Content("vocabulary"));
        }
        Ok(Self {
            vocabulary: Vocabulary::of(text)?,
            layers,
            thread: thread_that_gives_way().ok_or(ModelError::Thread)?,
        })
    }
}

impl Meaning for Model {
    fn known(&self, texts: &[String]) -> Vec<Option<Vector>> {
        let keys: Vec<Key> = texts.iter().map(|text| shelf::key(text)).collect();
        let mut found = self.memory.lock().find(&keys);
        if let Some(shelf) = self.shelf.as_ref().filter(|_| found.contains(&None)) {
            let mut on_disk = shelf.read();
            let mut memory = self.memory.lock();
            for (found, key) in found.iter_mut().zip(keys) {
                if found.is_none() {
                    // The same text may be there twice.
                    let remembered = memory.find(&[key]).pop().flatten();
                    *found = remembered.or_else(|| {
                        let vector = Vector::from(on_disk.remove(&key)?);
                        memory.remember(key, &vector);
                        Some(vector)
                    });
                }
            }
        }
        found
    }

    fn turn(&self) -> Turn {
        match self.shelf.as_ref().map(Shelf::lock) {
            Some(Ok(None)) => Turn::Others,
            Some(Ok(Some(lock))) => Turn::Ours(Box::new(lock)),
            None | Some(Err(_)) => Turn::Ours(Box::new(())),
        }
    }

    fn embed(&self, text: &str, effort: &Effort) -> Result<Vector, MeaningError> {
        let key = shelf::key(text);
        if let Some(vector) = self.memory.lock().find(&[key]).pop().flatten() {
            return Ok(vector);
        }
        let vector = self.vector(text, effort)?;
        let mut memory = self.memory.lock();
        memory.remember(key, &vector);
        if self.shelf.is_some() {
            memory.unsaved.push((key, vector.clone()));
        }
        Ok(vector)
    }

    fn save(&self) {
        let unsaved = std::mem::take(&mut self.memory.lock().unsaved);
        if let Some(shelf) = self.shelf.as_ref().filter(|_| !unsaved.is_empty()) {
            let vectors = unsaved.iter().map(|(key, vector)| (*key, vector.numbers()));
            shelf.keep(&vectors.collect::<Vec<_>>());
        }
    }

    fn question(&self, text: &str, effort: &Effort) -> Result<Vector, MeaningError> {
        Ok(self.vector(text, effort)?)
    }
}

impl Memory {
    fn find(&self, keys: &[Key]) -> Vec<Option<Vector>> {
        let find = |key| Some(Vector::from(self.known.get(key)?.upgrade()?));
        keys.iter().map(find).collect()
    }

    fn remember(&mut self, key: Key, vector: &Vector) {
        if self.known.len() >= self.known.capacity().max(REMEMBERED) {
            self.known.retain(|_, vector| vector.strong_count() > 0);
        }
        self.known.insert(key, vector.downgrade());
    }
}

impl From<ModelError> for MeaningError {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Effort(error) => Self::Effort(error),
            error => Self::Model(error.to_string()),
        }
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
