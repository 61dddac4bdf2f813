//! Checking a log: every line of every chain, once, in order.

use std::collections::BTreeMap;
use std::path::Path;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};

use crate::chain::Chain;
use crate::error::AuditError;
use crate::keys::{KeyError, PublicKey};
use crate::lane;
use crate::manifest::{ChainState, FILE, Manifest, ManifestError};
use crate::report::{Fault, Report};

/// What a log is held against. By default what the log says of itself is believed.
#[derive(Debug, Clone, Default)]
pub struct Against {
    /// The public key, stored out of reach of those who can write the log.
    pub key: Option<PublicKey>,
    /// [`Report::number`], as it was at an earlier time.
    pub number: Option<u64>,
}

/// The log in a folder, for a reader: it is not made where there is none.
pub(crate) fn existing(path: &Path) -> Result<PrivateFolder, AuditError> {
    let missing = || AuditError::Missing(path.display().to_string());
    if !path.is_dir() {
        return Err(missing());
    }
    Ok(PrivateFolder::open(path, OTHERS_REACH)?)
}

/// The public key of the log in a folder: to be stored out of reach of those who can write the log.
///
/// # Errors
///
/// [`AuditError::Folder`], [`AuditError::Missing`], [`AuditError::List`].
pub fn public_key(path: &Path) -> Result<PublicKey, AuditError> {
    let manifest = Manifest::read(&existing(path)?, None);
    let key = manifest.map(|manifest| manifest.public_key.parse());
    let key = key.map_err(|why| AuditError::List(why.to_string()))?;
    key.map_err(|why: KeyError| AuditError::List(why.to_string()))
}

/// Checks the log in a folder, also while it is written. The time is as the log's size, the memory
/// is not.
///
/// # Errors
///
/// [`AuditError::Folder`], [`AuditError::Missing`]: there is nothing to check.
pub fn verify(path: &Path, against: &Against) -> Result<Report, AuditError> {
    let folder = existing(path)?;
    let mut report = Report::new();
    let manifest = Manifest::read(&folder, against.key.as_ref());
    let lanes = lane::all(&folder)?;
    let manifest = match manifest {
        Ok(manifest) => manifest,
        Err(ManifestError::Missing) if lanes.is_empty() => {
            return Err(AuditError::Missing(path.display().to_string()));
        }
        Err(why) => {
            report.found(FILE, 0, Fault::NoList(why.to_string()));
            unlisted(&folder, against, &lanes, &mut report);
            return Ok(report);
        }
    };
    report.number = manifest.number;
    report.key = against.key.or_else(|| manifest.public_key.parse().ok());
    if let Some(number) = against.number.filter(|number| *number > manifest.number) {
        report.found(FILE, 0, Fault::ListOld(number));
    }
    for when in &manifest.anew {
        report.found(FILE, 0, Fault::ListAnew(when.clone()));
    }
    let mut mentioned = 0;
    for (&lane, known) in &manifest.lanes {
        let segments = lanes.get(&lane).map_or(&[][..], |segments| segments);
        let mut chain = Chain::new(&folder, lane, known, report);
        chain.check(segments);
        mentioned = mentioned.max(chain.mentioned);
        report = chain.report;
    }
    // What was not there at the beginning may have been put there since.
    let listed = Manifest::read(&folder, against.key.as_ref()).unwrap_or(manifest);
    for (lane, segments) in &lanes {
        if let Some(segment) = segments.first()
            && !listed.lanes.contains_key(lane)
        {
            report.found(&lane::file_of(*lane, *segment), 0, Fault::Foreign);
        }
    }
    if mentioned > listed.number {
        report.found(FILE, 0, Fault::ListOld(mentioned));
    }
    strange(&folder, &mut report)?;
    Ok(report)
}

/// Checks chains that no list says anything of.
fn unlisted(
    folder: &PrivateFolder,
    against: &Against,
    lanes: &BTreeMap<u16, Vec<u32>>,
    report: &mut Report,
) {
    report.key = against.key;
    for (&lane, segments) in lanes {
        let mut known = ChainState::new();
        known.removed = segments
            .first()
            .filter(|first| **first > 1)
            .and_then(|first| lane::begins(folder, lane, *first));
        let theirs = std::mem::replace(report, Report::new());
        let mut chain = Chain::new(folder, lane, &known, theirs);
        chain.check(segments);
        *report = chain.report;
    }
}

fn strange(folder: &PrivateFolder, report: &mut Report) -> Result<(), AuditError> {
    let mut names = folder.names()?;
    names.retain(|name| !lane::is_ours(name));
    names.sort_unstable();
    for name in names {
        report.found(&name, 0, Fault::Strange);
    }
    Ok(())
}
