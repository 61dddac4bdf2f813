//! Where what a run writes is, and how much there was before.

use std::sync::{Arc, OnceLock};

use crate::base::{self, Usage};
use crate::error::FileError;
use crate::layer_folder::LayerFolder;
use crate::tree::Tree;

/// Where what a run writes is, from the first time on that it does.
#[derive(Debug)]
pub(crate) struct Home {
    tree: Arc<Tree>,
    place: OnceLock<Arc<LayerFolder>>,
    /// What was in the folder then.
    before: OnceLock<Usage>,
}

impl Home {
    pub(crate) fn new(tree: Arc<Tree>) -> Arc<Self> {
        Arc::new(Self {
            tree,
            place: OnceLock::new(),
            before: OnceLock::new(),
        })
    }

    pub(crate) fn place(&self) -> Option<&Arc<LayerFolder>> {
        self.place.get()
    }

    /// How much there was in the folder when the run first wrote, if it has.
    pub(crate) fn known_before(&self) -> Option<Usage> {
        self.before.get().copied()
    }

    /// It is as it was when the run was kept.
    pub(crate) fn restore(&self, place: Option<Arc<LayerFolder>>, before: Option<Usage>) {
        // Nobody has used it before.
        if let Some(place) = place {
            let _ = self.place.set(place);
        }
        if let Some(before) = before {
            let _ = self.before.set(before);
        }
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    pub(crate) fn made(&self) -> Result<&Arc<LayerFolder>, FileError> {
        if let Some(place) = self.place.get() {
            return Ok(place);
        }
        let place = Arc::new(LayerFolder::new(&self.tree)?);
        Ok(self.place.get_or_init(|| place))
    }

    /// How much there was in the folder, as far as that counts.
    pub(crate) fn before(&self) -> Result<Usage, FileError> {
        if let Some(before) = self.before.get() {
            return Ok(*before);
        }
        let before = if self.tree.counts_all {
            let _turn = self.tree.look()?;
            base::usage(&self.tree.root, self.tree.quota.files)?
        } else {
            Usage::default()
        };
        Ok(*self.before.get_or_init(|| before))
    }
}
