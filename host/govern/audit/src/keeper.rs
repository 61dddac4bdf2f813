//! What has to be done beside the writing: what may wait is written, the disk gets what was written,
//! it is signed, files that are full are ended, old ones go.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::line::Place;
use crate::log::Shared;
use crate::log_events::CheckpointReason;
use crate::manifest::{ChainState, Manifest};
use crate::retention;
use crate::settings::SyncPolicy;
use crate::writer::Writer;

/// How long what may wait does, at most.
const TICK: Duration = Duration::from_millis(100);
/// How often it is looked for old files.
const SWEEP: Duration = Duration::from_hours(1);
/// How often the disk is asked for something at most, where it can't do it.
const AGAIN: Duration = Duration::from_secs(1);
/// The same for another file: each time, the log grows by some lines.
const ANOTHER: Duration = Duration::from_secs(60);

/// When something was last done.
struct LastTimes {
    synced: Instant,
    signed: Instant,
    swept: Option<Instant>,
    /// When no other file could be begun.
    stuck: Option<Instant>,
}

/// Continues until the log is closed. `last`: when somebody last wrote to this chain.
pub(crate) fn keep(shared: &Arc<Shared>, last: Option<SystemTime>) {
    let opened = Instant::now();
    let mut done = LastTimes {
        synced: opened,
        signed: opened,
        swept: None,
        stuck: None,
    };
    loop {
        if done.swept.is_none_or(|swept| swept.elapsed() >= SWEEP) {
            done.swept = Some(Instant::now());
            if let Err(error) = retention::sweep(shared, last, opened) {
                tracing::warn!(%error, "old files of the audit log can't be removed");
            }
        }
        let work = {
            let mut writer = shared.writer.lock();
            if writer.closing {
                return;
            }
            let wait = wait(shared, &writer);
            writer.asleep = wait == SWEEP;
            shared.wake.wait_for(&mut writer, wait);
            writer.asleep = false;
            if writer.closing {
                return;
            }
            if writer.astray {
                writer.leave_astray();
            }
            if writer.has_pending() {
                writer.settle();
            }
            let full = writer.is_full(&shared.settings)
                && done.stuck.is_none_or(|stuck| stuck.elapsed() >= ANOTHER);
            let to_sign =
                !writer.is_signed() && done.signed.elapsed() >= shared.settings.checkpoint_every;
            Work {
                full,
                to_sign,
                to_sync: !writer.is_synced(),
            }
        };
        look_after(shared, work, &mut done);
    }
}

/// How long it waits before it looks again. A writer wakes it only where nothing is left to do.
fn wait(shared: &Shared, writer: &Writer) -> Duration {
    let tick = match shared.settings.sync {
        SyncPolicy::Every(interval) => interval.clamp(Duration::from_millis(1), TICK),
        SyncPolicy::Each => TICK,
    };
    let done = !writer.has_pending() && writer.is_synced() && writer.is_signed();
    if done { SWEEP } else { tick }
}

/// What there is to do.
struct Work {
    /// The file is full: another one is begun.
    full: bool,
    to_sign: bool,
    to_sync: bool,
}

fn look_after(shared: &Shared, work: Work, done: &mut LastTimes) {
    let Work {
        full,
        to_sign,
        to_sync,
    } = work;
    if full || to_sign {
        done.signed = Instant::now();
        done.synced = done.signed;
        let signed = {
            let mut writer = shared.writer.lock();
            if !writer.is_in_place() {
                tracing::error!(
                    "a file of the audit log was removed or changed while it was written; the log continues in another file"
                );
                writer.leave_astray();
            }
            match full {
                true => writer.rotate().map(Some),
                false => writer.sign(CheckpointReason::Interval).map(|()| None),
            }
        };
        done.stuck = (full && signed.is_err()).then(Instant::now);
        // What is full has a signature at its end, which the disk gets before anything names it.
        let ended = signed.and_then(|ended| ended.map_or(Ok(()), |file| file.sync_data()));
        failing(shared, ended.and_then(|()| settle(shared)));
        return;
    }
    let every = match shared.settings.sync {
        SyncPolicy::Every(interval) => interval,
        SyncPolicy::Each => AGAIN,
    };
    if to_sync && done.synced.elapsed() >= every {
        done.synced = Instant::now();
        failing(shared, sync(shared).map(drop));
    }
}

fn failing(shared: &Shared, done: io::Result<()>) {
    if let Err(error) = done {
        shared.writer.lock().begin_failing(&error);
    }
}

/// The disk has everything, and the list of files says so.
pub(crate) fn settle(shared: &Shared) -> io::Result<()> {
    let reach = sync(shared)?;
    if !reach.named {
        shared.folder.sync()?;
        shared.writer.lock().named = reach.segment;
    }
    Manifest::change(&shared.folder, &shared.keys, |manifest| {
        let known = manifest
            .lanes
            .entry(reach.lane)
            .or_insert(ChainState::new());
        known.reach(reach.segment, reach.place);
    })?;
    Ok(())
}

/// How much of a chain the disk has.
struct Reach {
    lane: u16,
    segment: u32,
    place: Place,
    /// It has the file's name, too.
    named: bool,
}

/// The disk has everything. No writer waits for that.
fn sync(shared: &Shared) -> io::Result<Reach> {
    let (file, reach) = {
        let writer = shared.writer.lock();
        let reach = Reach {
            lane: writer.lane,
            segment: writer.segment,
            place: writer.kept,
            named: writer.named == writer.segment,
        };
        (Arc::clone(&writer.file), reach)
    };
    let synced = file.sync_data();
    let mut writer = shared.writer.lock();
    match synced {
        Ok(()) => writer.synced = reach.place.seq,
        // What the disk has of it, nobody knows: the system does not try again.
        Err(_) => writer.astray = true,
    }
    synced.map(|()| reach)
}
