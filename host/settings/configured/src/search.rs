//! The model by which searches find what tools mean.

use std::path::{Path, PathBuf};

use ampoule::meaning::Model;
use ampoule::{RuntimeBuilder, cache_folder};
use ampoule_config::Config;

use super::SetupError;

/// The model that searches use, if there is one: its file is configured, or beside the program.
///
/// # Errors
///
/// [`SetupError`] if there is such a file, and it is not a model.
pub fn model(config: &Config) -> Result<Option<Model>, SetupError> {
    let search = &config.search;
    let path: Option<PathBuf> = match (&search.model, search.meaning) {
        (_, false) => None,
        (Some(path), true) => Some(path.clone()),
        (None, true) => Model::beside_the_program(),
    };
    path.as_deref().map(open).transpose()
}

fn open(path: &Path) -> Result<Model, SetupError> {
    let vectors = cache_folder().map(|folder| folder.join("meaning"));
    let opened = Model::new(path, vectors);
    opened.map_err(|error| SetupError::new(format!("search.model: {}: {error}", path.display())))
}

/// Sets up search in a runtime. A model that can't be used leaves words: it restricts nothing.
pub(super) fn given(builder: RuntimeBuilder, config: &Config) -> RuntimeBuilder {
    match model(config) {
        Ok(Some(model)) => builder.meaning(model),
        Ok(None) => builder,
        Err(error) => {
            tracing::warn!(%error, "searches are by words alone");
            builder
        }
    }
}
