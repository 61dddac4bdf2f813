//! The guests of a runtime: what there is to know of each before it is compiled, and which of them a
//! script runs in.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, OnceLock};

use ampoule_guests::{Artifact, GuestFile, JAVASCRIPT, PYTHON};
use ampoule_isolate::engine::marked_loops;
use ampoule_isolate::{ImagePlace, Interpreter, Language, Module, Script};
use ampoule_limits::Limits;
use ampoule_persistence::packages::Package;
use ampoule_tools::Error;

/// One of the guests that a runtime can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuestKind {
    /// The interpreter of JavaScript and TypeScript.
    JavaScript,
    /// The interpreter of Python.
    Python,
    /// The same with numpy and pandas, of a [`DataGuest`](crate::DataGuest).
    PythonData,
}

/// The guests of a runtime.
#[derive(Clone)]
pub(crate) struct Guests {
    javascript: Arc<GuestSource>,
    python: Arc<GuestSource>,
    python_data: Option<Arc<GuestSource>>,
    /// The modules that only the guest with numpy and pandas has.
    data_modules: Arc<[String]>,
}

/// The guests of a runtime that are not used as they are embedded.
#[derive(Default)]
pub(crate) struct OtherGuests {
    pub(crate) javascript: Option<DerivedGuest>,
    pub(crate) python: Option<DerivedGuest>,
    pub(crate) data: Option<GuestFile>,
    pub(crate) python_data: Option<DerivedGuest>,
}

/// A guest, the same for all shards, and for all runtimes that have it.
pub(crate) struct GuestSource {
    artifact: Artifact,
    /// The guest that is made of it, if it is not used as it is.
    derived: Option<DerivedGuest>,
    /// What sessions begin with.
    pub(crate) memory: ImagePlace,
    hash: OnceLock<String>,
}

/// A guest that has the code of another, and begins with packages in its memory.
pub(crate) trait PackagedGuest: Send + Sync {
    /// Its packages.
    fn packages(&self) -> &[Package];

    /// What it is told apart by: all that it is made from.
    fn name(&self, of: &Artifact) -> String;

    /// Makes the component. It takes seconds, and is not for async code.
    ///
    /// # Errors
    ///
    /// The packages can't be used.
    fn component(&self, of: &Artifact, options: &GuestOptions) -> Result<Vec<u8>, GuestError>;

    /// What of the packages could not be imported, a sentence each. Makes the component, if that is
    /// not known.
    ///
    /// # Errors
    ///
    /// As for [`component`](Self::component).
    fn failures(&self, of: &Artifact, options: &GuestOptions) -> Result<Vec<String>, GuestError>;
}

/// A guest with packages, and how it is made.
pub(crate) struct DerivedGuest {
    pub(crate) guest: Arc<dyn PackagedGuest>,
    pub(crate) options: GuestOptions,
}

/// How a guest with packages is made.
pub(crate) struct GuestOptions {
    /// What importing may use.
    pub(crate) limits: Limits,
    /// Where the code of guests is kept, and for which processors.
    pub(crate) code_cache: Option<PathBuf>,
    pub(crate) portable_code: bool,
}

/// Why a guest has no component.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GuestError {
    #[error(transparent)]
    Artifact(#[from] io::Error),
    /// A sentence for the operator.
    #[error("{0}")]
    Packages(String),
}

impl fmt::Display for GuestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::JavaScript => Interpreter::JavaScript.fmt(f),
            Self::Python => Interpreter::Python.fmt(f),
            Self::PythonData => f.write_str("the Python guest with numpy and pandas"),
        }
    }
}

impl From<Language> for GuestKind {
    /// The guest of scripts that need nothing else.
    fn from(language: Language) -> Self {
        match language.interpreter() {
            Interpreter::JavaScript => Self::JavaScript,
            Interpreter::Python => Self::Python,
        }
    }
}

impl Guests {
    /// The guests as they are embedded, or with packages; and a file's, if there is one.
    pub(crate) fn new(others: OtherGuests) -> Self {
        static EMBEDDED: LazyLock<[Arc<GuestSource>; 2]> = LazyLock::new(|| {
            [JAVASCRIPT, PYTHON]
                .map(|embedded| Arc::new(GuestSource::new(Artifact::Embedded(embedded), None)))
        });
        let with = |bare: &Arc<GuestSource>, derived: Option<DerivedGuest>| match derived {
            Some(derived) => Arc::new(GuestSource::new(bare.artifact.clone(), Some(derived))),
            None => Arc::clone(bare),
        };
        let [bare_javascript, bare_python] = &*EMBEDDED;
        let data = others.data;
        Self {
            javascript: with(bare_javascript, others.javascript),
            python: with(bare_python, others.python),
            data_modules: data
                .iter()
                .flat_map(|data| data.modules())
                .cloned()
                .collect(),
            python_data: data
                .map(|data| Arc::new(GuestSource::new(Artifact::File(data), others.python_data))),
        }
    }

    /// Those that there are.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = GuestKind> {
        let all = [
            GuestKind::JavaScript,
            GuestKind::Python,
            GuestKind::PythonData,
        ];
        all.into_iter().filter(|kind| self.find(*kind).is_some())
    }

    /// A guest, if there is such a one.
    pub(crate) fn find(&self, kind: GuestKind) -> Option<&Arc<GuestSource>> {
        match kind {
            GuestKind::JavaScript => Some(&self.javascript),
            GuestKind::Python => Some(&self.python),
            GuestKind::PythonData => self.python_data.as_ref(),
        }
    }

    /// A guest.
    ///
    /// # Errors
    ///
    /// A configuration error if the file is missing.
    pub(crate) fn get(&self, kind: GuestKind) -> Result<&Arc<GuestSource>, Error> {
        self.find(kind).ok_or_else(|| missing(kind))
    }

    /// The hash of a guest: sessions, parked runs and records are of one alone.
    ///
    /// # Errors
    ///
    /// As for [`get`](Self::get).
    pub(crate) fn hash(&self, kind: GuestKind) -> Result<&str, Error> {
        Ok(self.get(kind)?.hash())
    }

    /// The guest of a language that has this hash.
    pub(crate) fn with_hash(&self, language: Language, hash: &str) -> Option<GuestKind> {
        let of_language = |kind: &GuestKind| kind.interpreter() == language.interpreter();
        let mut kinds = self.kinds().filter(of_language);
        kinds.find(|kind| self.find(*kind).is_some_and(|source| source.hash() == hash))
    }

    /// The guest that a script runs in: that of its language; or, if it or one of its modules names a
    /// module that only another guest of the language has, that one.
    pub(crate) fn of_script(&self, script: &Script) -> GuestKind {
        let usual = script.language().into();
        if usual != GuestKind::Python || self.python_data.is_none() {
            return usual;
        }
        let modules = script.modules().iter();
        let sources = modules.filter_map(|(_, module)| match module {
            Module::Source(source) => Some(source.as_str()),
            _ => None,
        });
        let mut sources = [script.source()].into_iter().chain(sources);
        match sources.any(|source| self.names_data(source)) {
            true => GuestKind::PythonData,
            false => usual,
        }
    }

    /// Whether a source has the name of a module that only the guest with numpy and pandas has, as a
    /// word. Nothing of it is parsed, so a comment counts, too.
    fn names_data(&self, source: &str) -> bool {
        let names = |module: &String| has_word(source, module);
        self.data_modules.iter().any(names)
    }

    /// Whether a module is one of those that only the guest with numpy and pandas has.
    pub(crate) fn is_data_module(&self, module: &str) -> bool {
        self.data_modules.iter().any(|known| known == module)
    }
}

impl GuestKind {
    /// The interpreter of the languages whose scripts it runs.
    pub fn interpreter(self) -> Interpreter {
        match self {
            Self::JavaScript => Interpreter::JavaScript,
            Self::Python | Self::PythonData => Interpreter::Python,
        }
    }
}

/// The error for a guest that the runtime lacks.
pub(crate) fn missing(kind: GuestKind) -> Error {
    Error::config(format!(
        "{kind} is not here; `ampoule doctor` says how to add it"
    ))
}

/// Whether a text has a word that stands alone: neither before it nor behind it is a letter.
fn has_word(text: &str, word: &str) -> bool {
    let mut found = memchr::memmem::find_iter(text.as_bytes(), word);
    let is_apart = |neighbour: Option<char>| {
        neighbour.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
    };
    found.any(|at| {
        is_apart(text[..at].chars().next_back()) && is_apart(text[at + word.len()..].chars().next())
    })
}

impl GuestSource {
    fn new(artifact: Artifact, derived: Option<DerivedGuest>) -> Self {
        Self {
            artifact,
            derived,
            memory: ImagePlace::default(),
            hash: OnceLock::new(),
        }
    }

    /// The packages that it has.
    pub(crate) fn packages(&self) -> &[Package] {
        let derived = self.derived.as_ref();
        derived.map_or(&[], |derived| derived.guest.packages())
    }

    /// What of its packages could not be imported, a sentence each. Not for async code.
    pub(crate) fn failures(&self) -> Result<Vec<String>, GuestError> {
        match &self.derived {
            Some(of) => of.guest.failures(&self.artifact, &of.options),
            None => Ok(Vec::new()),
        }
    }

    pub(crate) fn hash(&self) -> &str {
        self.hash.get_or_init(|| match &self.derived {
            Some(derived) => derived.guest.name(&self.artifact),
            None => blake3::hash(self.artifact.identity()).to_hex().to_string(),
        })
    }

    /// What its compiled code is found by.
    pub(crate) fn name(&self) -> &[u8] {
        match &self.derived {
            Some(_) => self.hash().as_bytes(),
            None => self.artifact.identity(),
        }
    }

    /// The component, which is needed only in order to compile it. That of a file must be one that
    /// can be interrupted: tests hold that for those that are embedded.
    pub(crate) fn component(&self) -> Result<Vec<u8>, GuestError> {
        let component = match &self.derived {
            Some(of) => of.guest.component(&self.artifact, &of.options)?,
            None => self.artifact.component()?,
        };
        if matches!(self.artifact, Artifact::File(_)) {
            marked_loops(&component).map_err(io::Error::other)?;
        }
        Ok(component)
    }

    /// The pages of its memory that a small run reads.
    pub(crate) fn pages(&self) -> Vec<Range<usize>> {
        self.artifact.pages()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stands_alone() {
        for text in [
            "import pandas",
            "pandas",
            "from pandas.api import types",
            "x=pandas.NA",
            "pandas_like = 1; import pandas as pd",
            "écrit: pandas…",
        ] {
            assert!(has_word(text, "pandas"), "{text}");
        }
        for text in [
            "",
            "panda",
            "geopandas",
            "pandas_like",
            "pandas2",
            "_pandas",
            "épandas",
            "pandasé",
        ] {
            assert!(!has_word(text, "pandas"), "{text}");
        }
    }
}
