//! How many connections there may be, in all and of one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::listen;

/// The places for connections.
pub(super) struct Places {
    all: Arc<Semaphore>,
    each: usize,
    /// How many there are of each address.
    addresses: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One of them.
pub(super) struct Place {
    address: Option<IpAddr>,
    addresses: Arc<Mutex<HashMap<IpAddr, usize>>>,
    _all: OwnedSemaphorePermit,
}

impl Places {
    pub(super) fn new(all: usize, each: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(all)),
            each,
            addresses: Arc::default(),
        }
    }

    /// A place for a connection from an address; none if its limit is reached.
    pub(super) fn take(&self, peer: Option<IpAddr>) -> Option<Place> {
        let all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        let address = peer
            .filter(|peer| !listen::is_loopback(*peer))
            .map(counted_as);
        if let Some(address) = address {
            let mut addresses = self.addresses.lock();
            let count = addresses.entry(address).or_default();
            if *count >= self.each {
                return None;
            }
            *count += 1;
        }
        Some(Place {
            address,
            addresses: Arc::clone(&self.addresses),
            _all: all,
        })
    }
}

/// What counts as one address: the owner of an IPv6 address has the 2⁶⁴ beside it, too.
fn counted_as(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            IpAddr::V6(network.into())
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(address) = self.address else { return };
        let mut addresses = self.addresses.lock();
        if let Some(count) = addresses.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                addresses.remove(&address);
            }
        }
    }
}
