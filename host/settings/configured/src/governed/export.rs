//! Where the audit log is passed on to, while it is written.

use std::path::Path;

use ampoule_audit::{Collector, Format, Forward, ForwardSettings, IntoFile, Syslog, Transport};
use ampoule_config::{AuditConfig, AuditExport, ExportForm};

use super::http::Http;
use crate::Unusable;

/// Passes a log on to all that are configured, as long as what is returned is kept.
pub(super) fn all(config: &AuditConfig, folder: &Path) -> Result<Vec<Forward>, Unusable> {
    let exports = config.export.iter().enumerate();
    exports
        .map(|(at, export)| one(at, export, folder))
        .collect()
}

fn one(at: usize, export: &AuditExport, folder: &Path) -> Result<Forward, Unusable> {
    let name = name(export);
    let settings = ForwardSettings::default();
    let started = match export {
        AuditExport::File { path, form } => {
            let sink = IntoFile::new(path, format(*form));
            Forward::start(folder, &name, sink, settings)
        }
        AuditExport::Syslog { address } => {
            let sink = Syslog::new(transport(address), &host());
            Forward::start(folder, &name, sink, settings)
        }
        AuditExport::Otlp { endpoint, headers } => {
            let headers = headers.clone().into_iter().collect();
            let sink = Collector::new(endpoint, headers, Http::new()?);
            Forward::start(folder, &name, sink, settings)
        }
    };
    started.map_err(|problem| Unusable::new(format!("audit.export[{at}]: {problem}")))
}

/// How far it is, is kept under this name: the same for the same place, wherever it stands in the
/// configuration.
fn name(export: &AuditExport) -> String {
    let (kind, place) = match export {
        AuditExport::File { path, .. } => ("file", path.to_string_lossy().into_owned()),
        AuditExport::Syslog { address } => ("syslog", address.clone()),
        AuditExport::Otlp { endpoint, .. } => ("otlp", endpoint.clone()),
    };
    let hash = blake3::hash(place.as_bytes()).to_hex();
    format!("{kind}-{}", &hash[..16])
}

fn format(form: ExportForm) -> Format {
    match form {
        ExportForm::JsonLines => Format::JsonLines,
        ExportForm::Ocsf => Format::Ocsf,
        ExportForm::Otlp => Format::Otlp,
        ExportForm::Csv => Format::Csv,
    }
}

/// As the configuration has checked it: `udp://host:port`, `tcp://host:port`, `unix:/path`.
fn transport(address: &str) -> Transport {
    match address.split_once(':') {
        Some(("unix", path)) => Transport::Unix(path.into()),
        Some(("tcp", rest)) => Transport::Tcp(rest.trim_start_matches('/').to_owned()),
        Some((_, rest)) => Transport::Udp(rest.trim_start_matches('/').to_owned()),
        None => Transport::Udp(address.to_owned()),
    }
}

/// What this host is called, where the system says so.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = name.or_else(|| std::env::var("HOSTNAME").ok());
    name.unwrap_or_default().trim().to_owned()
}
