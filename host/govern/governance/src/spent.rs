//! What those had read who used up quotas: how much is left shows that, as does a call
//! that is refused because nothing is.
//!
//! It is kept for each principal, and for all of them together where a quota is everybody's. Where
//! quotas have a folder, so has this, since other processes count in it, too.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use parking_lot::Mutex;

use crate::facts::CarriedLabels;

/// The file, and how large it may be.
const FILE: &str = "carried";
const MOST_BYTES: u64 = 16 << 20;
/// Those whom nobody has named, and all together: no principal is called so.
const LOCAL: &str = "";
const EVERYBODY: &str = "*";

type SpentLabels = HashMap<String, CarriedLabels>;

/// What those had read who used up something.
#[derive(Default)]
pub(crate) struct Spent {
    known: Mutex<SpentLabels>,
    folder: Option<PrivateFolder>,
    /// A quota is everybody's.
    has_shared: bool,
}

impl Spent {
    /// Kept in the folder of quotas, if they have one.
    pub(crate) fn of(folder: Option<&Path>, has_shared: bool) -> io::Result<Self> {
        let folder = folder.map(|folder| PrivateFolder::open(folder, OTHERS_REACH));
        Ok(Self {
            known: Mutex::default(),
            folder: folder.transpose()?,
            has_shared,
        })
    }

    /// Under which names something is kept that a principal does, or learns.
    fn names<'n>(
        &self,
        principal: Option<&'n str>,
    ) -> impl Iterator<Item = &'n str> + Clone + use<'n> {
        let shared = self.has_shared.then_some(EVERYBODY);
        std::iter::once(principal.unwrap_or(LOCAL)).chain(shared)
    }

    /// Somebody who has read this is about to use up something.
    pub(crate) fn add(&self, principal: Option<&str>, carried: &CarriedLabels) -> io::Result<()> {
        if carried.is_empty() {
            return Ok(());
        }
        let mut known = self.known.lock();
        let names = self.names(principal);
        let is_known = |name: &str| {
            known.get(name).is_some_and(|before| {
                let mut joined = before.clone();
                joined.join(carried);
                joined == *before
            })
        };
        if names.clone().all(is_known) {
            return Ok(());
        }
        let add = |known: &mut SpentLabels| {
            for name in names.clone() {
                known.entry(name.to_owned()).or_default().join(carried);
            }
        };
        if let Some(folder) = &self.folder {
            // One process at a time.
            let draft = folder.draft(FILE, || ())?;
            let mut kept = read(folder)?;
            add(&mut kept);
            let text = serde_json::to_vec(&kept).map_err(io::Error::other)?;
            draft.keep(FILE, &text)?;
        }
        add(&mut known);
        Ok(())
    }

    /// What those had read who used up what is this one's, or everybody's.
    pub(crate) fn by(&self, principal: Option<&str>) -> io::Result<CarriedLabels> {
        let mut all = CarriedLabels::default();
        let mut join = |known: &SpentLabels| {
            for name in self.names(principal) {
                if let Some(carried) = known.get(name) {
                    all.join(carried);
                }
            }
        };
        join(&self.known.lock());
        if let Some(folder) = &self.folder {
            join(&read(folder)?);
        }
        Ok(all)
    }
}

fn read(folder: &PrivateFolder) -> io::Result<SpentLabels> {
    let mut text = Vec::new();
    match folder.file(FILE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(SpentLabels::default()),
        file => file?.take(MOST_BYTES).read_to_end(&mut text)?,
    };
    serde_json::from_slice(&text).map_err(io::Error::other)
}
