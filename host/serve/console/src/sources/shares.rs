//! How much each viewer may have open at once: requests, and live streams.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::ConsoleError;
use crate::model::Viewer;

/// A limit for each viewer, and one for all. Clones count together.
#[derive(Debug, Clone)]
pub(crate) struct Shares {
    what: &'static str,
    most: usize,
    each: usize,
    open: Arc<Mutex<HashMap<String, usize>>>,
}

/// One of them; its place is free again once this is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    shares: Shares,
    viewer: String,
}

impl Shares {
    /// So many of `what` for all viewers, and for each.
    pub(crate) fn new(what: &'static str, most: usize, each: usize) -> Self {
        Self {
            what,
            most,
            each,
            open: Arc::default(),
        }
    }

    /// One more.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::Busy`].
    pub(crate) fn open(&self, viewer: &Viewer) -> Result<Share, ConsoleError> {
        let mut open = self.open.lock();
        let all: usize = open.values().sum();
        let own = open.get(viewer.name()).copied().unwrap_or_default();
        if all >= self.most || own >= self.each {
            let (what, each) = (self.what, self.each);
            return Err(ConsoleError::Busy(format!(
                "too many {what} at once: {each} for each principal; close some, and try again"
            )));
        }
        open.insert(viewer.name().to_owned(), own + 1);
        Ok(Share {
            shares: self.clone(),
            viewer: viewer.name().to_owned(),
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut open = self.shares.open.lock();
        if let Some(own) = open.get_mut(&self.viewer) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.viewer);
            }
        }
    }
}
