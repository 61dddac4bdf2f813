//! Where the audit log is passed on to, while it is written.

use std::path::Path;

use ampoule_audit::{AuditConfig, Collector, Export, Forward, ForwardSettings, IntoFile};

use super::http::Http;
use crate::SetupError;

/// Passes a log on to all that are configured, as long as what is returned is kept.
pub(super) fn all(config: &AuditConfig, folder: &Path) -> Result<Vec<Forward>, SetupError> {
    let exports = config.export.iter().enumerate();
    exports
        .map(|(at, export)| one(at, export, folder))
        .collect()
}

fn one(at: usize, export: &Export, folder: &Path) -> Result<Forward, SetupError> {
    let name = name(export);
    let settings = ForwardSettings::default();
    let started = match export {
        Export::File { path, format } => {
            let sink = IntoFile::new(path, *format);
            Forward::start(folder, &name, sink, settings)
        }
        Export::Otlp { endpoint, headers } => {
            let headers = headers.clone().into_iter().collect();
            let sink = Collector::new(endpoint, headers, Http::new()?);
            Forward::start(folder, &name, sink, settings)
        }
    };
    started.map_err(|problem| SetupError::new(format!("audit.export[{at}]: {problem}")))
}

/// How far it is, is kept under this name: the same for the same place, wherever it stands in the
/// configuration.
fn name(export: &Export) -> String {
    let (kind, place) = match export {
        Export::File { path, .. } => ("file", path.to_string_lossy().into_owned()),
        Export::Otlp { endpoint, .. } => ("otlp", endpoint.clone()),
    };
    let hash = blake3::hash(place.as_bytes()).to_hex();
    format!("{kind}-{}", &hash[..16])
}
