//! What is made once for all who are shown the same: each operator sees everything, and each principal
//! sees what is theirs, in however many pages it is open.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::ConsoleError;
use crate::model::Viewer;

/// For how long something is kept that nobody asks for.
const KEPT: Duration = Duration::from_secs(60);

/// Those who are shown the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Audience {
    Operators,
    Principal(String),
}

impl Audience {
    fn of(viewer: &Viewer) -> Self {
        match viewer.is_operator() {
            true => Self::Operators,
            false => Self::Principal(viewer.name().to_owned()),
        }
    }
}

/// The latest of each audience.
#[derive(Debug)]
pub(crate) struct Shared<T> {
    latest: Mutex<HashMap<Audience, SharedValue<T>>>,
    /// Locked while something is made: the audience's other pages wait for it.
    making: Mutex<HashMap<Audience, MakingLock>>,
}

type MakingLock = Arc<tokio::sync::Mutex<()>>;

/// What was made, and when its making began: it says how things stood then, or later.
#[derive(Debug, Clone)]
pub(crate) struct SharedValue<T> {
    pub(crate) value: T,
    pub(crate) began: Instant,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self {
            latest: Mutex::default(),
            making: Mutex::default(),
        }
    }
}

impl<T: Clone> Shared<T> {
    /// What is there of the viewer's audience.
    pub(crate) fn latest(&self, viewer: &Viewer) -> Option<SharedValue<T>> {
        self.latest.lock().get(&Audience::of(viewer)).cloned()
    }

    /// What says how things stand since then: what is there, or what is made now, by one for all.
    ///
    /// # Errors
    ///
    /// Those of the making.
    pub(crate) async fn since<F>(
        &self,
        viewer: &Viewer,
        since: Instant,
        make: impl FnOnce() -> F,
    ) -> Result<T, ConsoleError>
    where
        F: Future<Output = Result<T, ConsoleError>>,
    {
        let audience = Audience::of(viewer);
        let fits = || {
            let latest = self.latest.lock();
            let made = latest.get(&audience)?;
            (made.began >= since).then(|| made.value.clone())
        };
        if let Some(value) = fits() {
            return Ok(value);
        }
        let making = {
            let mut all = self.making.lock();
            all.retain(|_, lock| Arc::strong_count(lock) > 1);
            Arc::clone(all.entry(audience.clone()).or_default())
        };
        let _making = making.lock().await;
        if let Some(value) = fits() {
            return Ok(value);
        }
        let began = Instant::now();
        let value = make().await?;
        let made = SharedValue {
            value: value.clone(),
            began,
        };
        let mut latest = self.latest.lock();
        latest.retain(|_, made| made.began.elapsed() < KEPT);
        latest.insert(audience, made);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use ampoule::Principal;

    use super::*;

    #[tokio::test]
    async fn one_makes_what_all_of_an_audience_are_shown() {
        let (shared, made) = (Shared::<u32>::default(), AtomicU32::new(0));
        let make = || async { Ok(made.fetch_add(1, Relaxed)) };
        let ada = Viewer::principal(Principal::new("ada"), false);
        let bob = Viewer::principal(Principal::new("bob"), false);
        let [olga, otto] =
            ["olga", "otto"].map(|name| Viewer::principal(Principal::new(name), true));
        let began = Instant::now();
        let of = async |viewer: &Viewer, since| shared.since(viewer, since, make).await.unwrap();
        assert_eq!(of(&ada, began).await, 0);
        assert_eq!(of(&ada, began).await, 0, "it says how things stood since");
        assert_eq!(of(&bob, began).await, 1, "another principal's is another");
        assert_eq!(of(&olga, began).await, 2);
        assert_eq!(of(&otto, began).await, 2, "operators see the same");
        // What happened after it was made is not in it.
        assert_eq!(of(&ada, Instant::now()).await, 3);
        assert_eq!(of(&ada, began).await, 3);
        assert_eq!(shared.latest(&ada).unwrap().value, 3);
        // A failure is not kept.
        let fails = || async { Err(ConsoleError::Conflict("later".to_owned())) };
        assert!(shared.since(&ada, Instant::now(), fails).await.is_err());
        assert_eq!(of(&ada, began).await, 3);
    }

    #[tokio::test]
    async fn those_who_come_while_it_is_made_wait_for_it() {
        let (shared, made) = (Shared::<u32>::default(), AtomicU32::new(0));
        let make = || async {
            tokio::task::yield_now().await;
            Ok(made.fetch_add(1, Relaxed))
        };
        let (local, began) = (Viewer::local(), Instant::now());
        let asked = (0..50).map(|_| shared.since(&local, began, make));
        let got = futures::future::join_all(asked).await;
        assert!(got.into_iter().all(|it| it.unwrap() == 0));
        assert_eq!(made.load(Relaxed), 1);
    }
}
