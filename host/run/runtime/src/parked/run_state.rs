//! The state of a parked run that this process resumes.

use std::time::Duration;

use ampoule_isolate::{Note, ParkedSession, Script};
use ampoule_limits::Limits;
use ampoule_persistence::parked::{ClaimedRun, State, StoredRun};
use ampoule_tools::{Error, Grant, Principal, RunId};

use super::snapshot::{NoteOnDisk, Owner, RunSnapshot};
use crate::governed::CarriedData;
use crate::guests::{GuestKind, Guests};

/// The state of a parked run that this process resumes.
pub(crate) struct ParkedRunState {
    id: RunId,
    /// The guest that it began in.
    guest: GuestKind,
    run: StoredRun,
    about: RunSnapshot,
    notes: Vec<Note>,
    /// What it had read when it was kept, and since.
    carried: Vec<CarriedData>,
}

/// A parked run as it was read.
struct ReadRun {
    id: RunId,
    guest: GuestKind,
    script: Script,
    about: RunSnapshot,
    notes: Vec<NoteOnDisk>,
}

impl ParkedRunState {
    pub(super) fn of(claimed: ClaimedRun, guests: &Guests) -> Result<(Self, Script), Error> {
        let ClaimedRun {
            run,
            state,
            about,
            notes,
        } = claimed;
        let read = Self::read(run.run(), state, guests, about.get(), &notes);
        match read {
            Ok(ReadRun {
                id,
                guest,
                script,
                mut about,
                notes: noted,
            }) => {
                let mut carried: Vec<_> = about.carried.iter().cloned().collect();
                let mut notes = Vec::new();
                for noted in noted {
                    match noted {
                        NoteOnDisk::Carried { carried: since } => carried.push(since),
                        NoteOnDisk::Suspended { suspended: true } => about.journal.stand_still(),
                        NoteOnDisk::Suspended { suspended: false } => {}
                        NoteOnDisk::Note(note) => notes.push(note),
                    }
                }
                let resumed = Self {
                    id,
                    guest,
                    run,
                    about,
                    notes,
                    carried,
                };
                Ok((resumed, script))
            }
            Err(error) => {
                if let Err(error) = run.release() {
                    tracing::warn!(run = run.run(), %error, "a parked run can't be released to other processes");
                }
                Err(error)
            }
        }
    }

    fn read(
        run: &str,
        state: State,
        guests: &Guests,
        about: &str,
        notes: &[Vec<u8>],
    ) -> Result<ReadRun, Error> {
        if state == State::Ended {
            return Err(Error::request(format!(
                "the run `{run}` is over; `ampoule runs show {run}` says how it ended"
            )));
        }
        let other = || {
            Error::request(format!(
                "the run `{run}` was parked by another version of Ampoule, or with other packages; resume it with the version and the packages that parked it, or remove it: `ampoule runs rm {run}`"
            ))
        };
        let about: RunSnapshot = serde_json::from_str(about).map_err(|_| other())?;
        let id = run.parse().map_err(|_| other())?;
        let language = about.fixed.language().ok_or_else(other)?;
        let guest = guests.with_hash(language, &about.fixed.guest);
        let guest = guest.ok_or_else(other)?;
        let notes = notes.iter().map(|note| serde_json::from_slice(note));
        let notes = notes
            .collect::<Result<Vec<NoteOnDisk>, _>>()
            .map_err(|_| other())?;
        let script = Script::new(language, "").named(about.fixed.name.clone());
        Ok(ReadRun {
            id,
            guest,
            script,
            about,
            notes,
        })
    }

    pub(crate) fn id(&self) -> RunId {
        self.id
    }

    pub(crate) fn guest(&self) -> GuestKind {
        self.guest
    }

    pub(crate) fn after(&self) -> Duration {
        self.about.fixed.after
    }

    pub(crate) fn limits(&self, ceilings: &Limits) -> Limits {
        self.about.fixed.limits(ceilings)
    }

    pub(crate) fn principal(&self) -> Option<Principal> {
        self.about.fixed.principal()
    }

    /// The owner, besides the principal.
    pub(crate) fn owner(&self) -> &Owner {
        &self.about.fixed.owner
    }

    /// What it had read.
    pub(crate) fn carried(&self) -> &[CarriedData] {
        &self.carried
    }

    /// The session that it is a run of.
    pub(crate) fn session(&self) -> Option<&ParkedSession> {
        self.about.journal.session()
    }

    /// What it was granted, as far as that is still there.
    pub(super) fn grant(&self) -> Result<Grant, Error> {
        self.about.fixed.grant()
    }

    pub(crate) fn into_parts(self) -> (StoredRun, RunSnapshot, Vec<Note>) {
        (self.run, self.about, self.notes)
    }
}
