//! A component that is a tool.

use std::io::Read;
use std::path::{Path, PathBuf};

use ampoule_isolate::Component;
use ampoule_limits::LimitsConfig;
use ampoule_projection::Hints;
use ampoule_store::folder::open_what_only_owners_write;
use ampoule_tools::Grant;
use tokio::task::spawn_blocking;

/// A component that is a tool. Its `run` has types of its own, which are the tool's schemas:
/// `run: func(input: report) -> result<summary, string>`.
#[derive(Debug, Clone)]
pub struct ComponentTool {
    pub(super) name: String,
    source: Source,
    pub(super) description: Option<String>,
    pub(super) hints: Hints,
    pub(super) grant: Grant,
    pub(super) limits: LimitsConfig,
}

/// Where a component is.
#[derive(Debug, Clone)]
enum Source {
    Component(Component),
    File(PathBuf),
}

impl ComponentTool {
    /// A component, under that name.
    pub fn new(name: impl Into<String>, component: Component) -> Self {
        Self::of(name.into(), Source::Component(component))
    }

    /// The component in a file, which is read when its tool is first asked for. A file that others can
    /// write is not used: with it, they would have what it is granted.
    pub fn file(name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self::of(name.into(), Source::File(path.into()))
    }

    fn of(name: String, source: Source) -> Self {
        Self {
            name,
            source,
            description: None,
            hints: Hints::default(),
            grant: Grant::none(),
            limits: LimitsConfig::default(),
        }
    }

    /// What it does: models read that.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// What it says of its effects. Nobody checks that.
    #[must_use]
    pub fn hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    /// What it may call, as far as the run may that calls it. Default: nothing.
    #[must_use]
    pub fn grant(mut self, grant: Grant) -> Self {
        self.grant = grant;
        self
    }

    /// What each of its runs may use. Default: what the run may that calls it.
    #[must_use]
    pub fn limits(mut self, limits: LimitsConfig) -> Self {
        self.limits = limits;
        self
    }

    /// The component, if it has at most so many bytes.
    ///
    /// # Errors
    ///
    /// A sentence: it can't be read.
    pub(super) async fn component(&self, most: u64) -> Result<Component, String> {
        let path = match &self.source {
            Source::Component(component) => return Ok(component.clone()),
            Source::File(path) => path.clone(),
        };
        let reading = spawn_blocking(move || {
            read(&path, most).map_err(|why| format!("{}: {why}", path.display()))
        });
        reading.await.unwrap_or_else(|error| Err(error.to_string()))
    }
}

fn read(path: &Path, most: u64) -> Result<Component, String> {
    let file = open_what_only_owners_write(path).map_err(|error| error.to_string())?;
    let mut wasm = Vec::new();
    file.take(most.saturating_add(1))
        .read_to_end(&mut wasm)
        .map_err(|error| error.to_string())?;
    if wasm.len() as u64 > most {
        return Err(format!(
            "the file has more than the {most} bytes that the limit `host-bytes` allows"
        ));
    }
    Component::from_bytes(wasm).map_err(|error| error.to_string())
}
