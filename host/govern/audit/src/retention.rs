//! Old files go, and leave a signed mark of what was removed.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ampoule_store::folder::PrivateFolder;

use crate::entry::Head;
use crate::event::Event;
use crate::lane;
use crate::log::Shared;
use crate::log_events::Removed;
use crate::manifest::{self, Manifest, Mark};
use crate::segment::written;

const DAY: Duration = Duration::from_hours(24);
/// How much later than the newest event it may be, as far as retention believes the clock: one that
/// was set to some year to come removes nothing, while the process runs.
const BELIEVED: Duration = Duration::from_hours(30 * 24);

/// Removes what is too old; once a day, whichever process does it. `last`: when this chain was last
/// written to, before `opened`.
pub(crate) fn sweep(
    shared: &Arc<Shared>,
    last: Option<SystemTime>,
    opened: Instant,
) -> io::Result<()> {
    let Some(keep_for) = shared.settings.keep_for else {
        return Ok(());
    };
    let key = shared.keys.public();
    let Ok(manifest) = Manifest::read(&shared.folder, Some(&key)) else {
        return Ok(());
    };
    let seconds = manifest::seconds();
    // A clock that went back makes it wait no longer than a day.
    if seconds.abs_diff(manifest.swept) < DAY.as_secs() {
        return Ok(());
    }
    let lanes = lane::all(&shared.folder)?;
    let ours = shared.writer.lock().lane;
    let newest = newest(&shared.folder, &lanes, ours).max(last);
    let believed = newest.map(|newest| newest + opened.elapsed() + BELIEVED);
    let now = believed.map_or(SystemTime::now(), |most| most.min(SystemTime::now()));
    let Some(before) = now.checked_sub(keep_for) else {
        return Ok(());
    };
    let mut old = Vec::new();
    for (&number, segments) in &lanes {
        // A chain that is nobody's is to be looked into.
        if !manifest.lanes.contains_key(&number) {
            continue;
        }
        // Nobody begins to write to it meanwhile.
        let lock = match number == ours {
            true => None,
            false => shared.folder.try_lock(&lane::lock_of(number))?,
        };
        let keeps_last = lock.is_none();
        let segments = &segments[..segments.len() - usize::from(keeps_last)];
        if let Some(mark) = last_old(&shared.folder, number, segments, before) {
            old.push((number, mark, lock));
        }
    }
    Manifest::change(&shared.folder, &shared.keys, |manifest| {
        manifest.swept = seconds;
        for (lane, mark, _) in &old {
            if let Some(known) = manifest.lanes.get_mut(lane)
                && known.start().0 <= mark.segment
            {
                known.removed = Some(mark.clone());
            }
        }
    })?;
    for (lane, mark, _lock) in old {
        let segments = lanes.get(&lane).map_or(&[][..], |segments| segments);
        remove(shared, lane, segments, &mark)?;
    }
    Ok(())
}

/// When somebody last wrote to one of the other chains.
fn newest(
    folder: &PrivateFolder,
    lanes: &std::collections::BTreeMap<u16, Vec<u32>>,
    ours: u16,
) -> Option<SystemTime> {
    let others = lanes.iter().filter(|(lane, _)| **lane != ours);
    let ends = others.filter_map(|(lane, segments)| {
        let segment = segments.last()?;
        let mut file = folder.file(&lane::file_of(*lane, *segment)).ok()?;
        let tail = lane::tail(&mut file).ok()??;
        humantime::parse_rfc3339(&tail.head.at).ok()
    });
    ends.max()
}

/// The end of the last file, in order, whose first and last event happened before.
fn last_old(
    folder: &PrivateFolder,
    lane: u16,
    segments: &[u32],
    before: SystemTime,
) -> Option<Mark> {
    let mut mark = None;
    for &segment in segments {
        let mut file = folder.file(&lane::file_of(lane, segment)).ok()?;
        // What can't be read is not known to be old.
        let Ok(Some(tail)) = lane::tail(&mut file) else {
            break;
        };
        // Where the clock went back meanwhile, its end alone seems to be old.
        let first = lane::first(folder, lane, segment);
        let is_old = |head: &Head| {
            let at = humantime::parse_rfc3339(&head.at);
            at.is_ok_and(|at| at < before)
        };
        if !is_old(&tail.head) || !first.is_some_and(|(head, _)| is_old(&head)) {
            break;
        }
        mark = Some(Mark {
            segment,
            seq: tail.place.seq,
            hash: tail.place.hash.to_hex().to_string(),
            at: manifest::now(),
        });
    }
    mark
}

fn remove(shared: &Shared, lane: u16, segments: &[u32], mark: &Mark) -> io::Result<()> {
    let mut files = 0;
    for segment in segments.iter().filter(|segment| **segment <= mark.segment) {
        shared.folder.clear(&lane::file_of(lane, *segment))?;
        files += 1;
    }
    let event = written(&Event::Removed(Removed {
        lane,
        segment: mark.segment,
        last: mark.seq,
        files,
    }));
    tracing::info!(lane, files, "old files of the audit log were removed");
    if let Err(error) = shared.writer.lock().put(&event, false) {
        tracing::warn!(%error, "the audit log does not say that old files were removed");
    }
    Ok(())
}
