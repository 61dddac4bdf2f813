//! The memory of new instances.

use std::sync::Arc;

use parking_lot::Mutex;

/// What is compared, and kept, as one unit.
pub(super) const PAGE_BYTES: usize = 4096;

/// All of the memory of an instance that has run nothing.
pub(crate) struct Image(Vec<u8>);

impl Image {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// A page; behind the end, that is zeros.
    pub(super) fn page(&self, number: usize) -> &[u8] {
        const ZEROS: [u8; PAGE_BYTES] = [0; PAGE_BYTES];
        let page = self.0.get(number * PAGE_BYTES..(number + 1) * PAGE_BYTES);
        page.unwrap_or(&ZEROS)
    }
}

/// Where the image of a guest is, once a session needed it: the same for all of its engines.
#[derive(Clone, Default)]
pub struct ImagePlace(Arc<Mutex<Option<Arc<Image>>>>);

impl ImagePlace {
    pub(crate) fn get(&self) -> Option<Arc<Image>> {
        self.0.lock().clone()
    }

    /// Keeps an image, unless another is there.
    pub(super) fn set(&self, image: Image) -> Arc<Image> {
        Arc::clone(self.0.lock().get_or_insert_with(|| Arc::new(image)))
    }
}
