//! Reading a description: when it is first needed, once for all who wait, again after a failure, and
//! again where it may have changed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;

/// After a failure, nothing is read for this long.
const PAUSE: Duration = Duration::from_secs(2);

type ReadResult<T> = Result<Arc<T>, Arc<DescriptionError>>;

/// Why a description was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DescriptionError {
    /// The API says it to those alone who signed in: a sentence on what to do.
    NeedsSignIn(String),
    /// It can't be used: why, in words that follow what it is.
    Unusable(String),
}

impl From<String> for DescriptionError {
    fn from(why: String) -> Self {
        Self::Unusable(why)
    }
}

/// The API of a description, as soon as that is read.
pub(crate) struct Loading<T> {
    /// It, as soon as one of those who share it has read it.
    ready: Arc<Mutex<Option<Ready<T>>>>,
    attempt: Mutex<Attempt<T>>,
    /// Held by the one who reads again.
    again: Arc<tokio::sync::Mutex<()>>,
}

/// An API, and when its description was read.
struct Ready<T>(Arc<T>, LoadTime);

/// How reading goes, as long as nothing is ready.
enum Attempt<T> {
    /// Nobody began.
    None,
    /// It is being read.
    Reading(Shared<BoxFuture<'static, ReadResult<T>>>),
    /// Why it can't be used, and since when that is known.
    Failed(Arc<DescriptionError>, Instant),
}

/// When a description was read.
#[derive(Debug, Clone, Copy)]
struct LoadTime {
    /// How long that took.
    took: Duration,
    /// When it was last known to be as it is.
    at: Instant,
}

impl LoadTime {
    fn since(begun: Instant) -> Self {
        Self {
            took: begun.elapsed(),
            at: Instant::now(),
        }
    }
}

/// How an API is doing.
#[derive(Debug, Clone)]
pub struct ApiStatus {
    /// In a word: `not-started`, `starting`, `ready`, `needs-sign-in` or `failed`.
    pub state: &'static str,
    /// Why it failed, as a sentence.
    pub why: Option<String>,
    /// How many tools there are, if that is known.
    pub tools: Option<usize>,
    /// How long it took to read the description.
    pub read_in: Option<Duration>,
}

impl<T: Send + Sync + 'static> Loading<T> {
    /// Nothing is read yet.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            ready: Arc::default(),
            attempt: Mutex::new(Attempt::None),
            again: Arc::default(),
        })
    }

    /// Another one, which reads by itself, and shares what either has read. What goes wrong for one is
    /// nothing to the other.
    pub(crate) fn beside(&self) -> Arc<Self> {
        Arc::new(Self {
            ready: Arc::clone(&self.ready),
            attempt: Mutex::new(Attempt::None),
            again: Arc::clone(&self.again),
        })
    }

    /// What is known, for people. `tools` counts the tools; `unread` says why there are none.
    pub(crate) fn status(
        &self,
        tools: impl FnOnce(&T) -> usize,
        unread: impl FnOnce(&DescriptionError) -> String,
    ) -> ApiStatus {
        let status = |state| ApiStatus {
            state,
            why: None,
            tools: None,
            read_in: None,
        };
        if let Some(Ready(api, loaded)) = &*self.ready.lock() {
            return ApiStatus {
                tools: Some(tools(api)),
                read_in: Some(loaded.took),
                ..status("ready")
            };
        }
        match &*self.attempt.lock() {
            Attempt::None => status("not-started"),
            Attempt::Reading(_) => status("starting"),
            Attempt::Failed(why, _) => ApiStatus {
                why: Some(unread(why)),
                ..status(match **why {
                    DescriptionError::NeedsSignIn(_) => "needs-sign-in",
                    DescriptionError::Unusable(_) => "failed",
                })
            },
        }
    }

    /// The API, if its description is read already.
    pub(crate) fn ready(&self) -> Option<Arc<T>> {
        let ready = self.ready.lock();
        ready.as_ref().map(|Ready(api, _)| Arc::clone(api))
    }

    /// Whether its description is being read for the first time.
    pub(crate) fn is_reading(&self) -> bool {
        self.ready().is_none() && matches!(&*self.attempt.lock(), Attempt::Reading(_))
    }

    /// The API. `begin` reads it within the time; whoever stops waiting leaves the reading to the
    /// others.
    ///
    /// # Errors
    ///
    /// Why the description can't be used.
    pub(crate) async fn api<F>(
        self: &Arc<Self>,
        most: Duration,
        begin: impl FnOnce() -> F,
    ) -> ReadResult<T>
    where
        F: Future<Output = Result<T, DescriptionError>> + Send + 'static,
    {
        let reading = {
            let mut attempt = self.attempt.lock();
            if let Some(api) = self.ready() {
                return Ok(api);
            }
            match &*attempt {
                Attempt::Failed(why, at) if is_paused(why, *at) => return Err(Arc::clone(why)),
                Attempt::Reading(reading) => reading.clone(),
                Attempt::None | Attempt::Failed(..) => {
                    let reading = self.begin(most, begin());
                    *attempt = Attempt::Reading(reading.clone());
                    reading
                }
            }
        };
        reading.await
    }

    /// Reads the description again, where it is older than `lasts`. `reread` gives nothing where it is
    /// as before.
    ///
    /// # Errors
    ///
    /// Why it can't be read now; what was known stays.
    pub(crate) async fn refresh<F>(
        self: &Arc<Self>,
        lasts: Duration,
        most: Duration,
        reread: impl FnOnce(Arc<T>) -> F + Send + 'static,
    ) -> Result<(), DescriptionError>
    where
        F: Future<Output = Result<Option<T>, DescriptionError>> + Send,
    {
        if self.old(lasts).is_none() {
            return Ok(());
        }
        let this = Arc::clone(self);
        let reading = tokio::spawn(async move {
            let _turn = Arc::clone(&this.again).lock_owned().await;
            // Another one may have read it meanwhile.
            let Some(api) = this.old(lasts) else {
                return Ok(());
            };
            let begun = Instant::now();
            let read = in_time(most, reread(api)).await;
            // A failure counts as well: a server that is away is not asked all the time.
            if let Some(Ready(api, loaded)) = &mut *this.ready.lock() {
                loaded.at = Instant::now();
                if let Some(changed) = read? {
                    (*api, *loaded) = (Arc::new(changed), LoadTime::since(begun));
                }
            }
            Ok(())
        });
        let ended = |_| Err("the host is about to stop".to_owned().into());
        reading.await.unwrap_or_else(ended)
    }

    /// The API, if what is known of it may be of an earlier time.
    fn old(&self, lasts: Duration) -> Option<Arc<T>> {
        match &*self.ready.lock() {
            Some(Ready(api, loaded)) if loaded.at.elapsed() >= lasts => Some(Arc::clone(api)),
            _ => None,
        }
    }

    fn begin(
        self: &Arc<Self>,
        most: Duration,
        read: impl Future<Output = Result<T, DescriptionError>> + Send + 'static,
    ) -> Shared<BoxFuture<'static, ReadResult<T>>> {
        let this = Arc::clone(self);
        let reading = tokio::spawn(async move {
            let begun = Instant::now();
            let read = in_time(most, read).await;
            let read = read.map(Arc::new).map_err(Arc::new);
            let mut attempt = this.attempt.lock();
            *attempt = match &read {
                Ok(api) => {
                    let ready = Ready(Arc::clone(api), LoadTime::since(begun));
                    *this.ready.lock() = Some(ready);
                    Attempt::None
                }
                Err(why) => Attempt::Failed(Arc::clone(why), Instant::now()),
            };
            drop(attempt);
            read
        });
        let ended = || {
            Err(Arc::new(DescriptionError::from(
                "the host is about to stop".to_owned(),
            )))
        };
        async move { reading.await.unwrap_or_else(|_| ended()) }
            .boxed()
            .shared()
    }
}

/// Whether it is too early to read again. Somebody may have signed in at once.
fn is_paused(why: &DescriptionError, at: Instant) -> bool {
    matches!(why, DescriptionError::Unusable(_)) && at.elapsed() < PAUSE
}

async fn in_time<T>(
    most: Duration,
    read: impl Future<Output = Result<T, DescriptionError>>,
) -> Result<T, DescriptionError> {
    let read = tokio::time::timeout(most, read).await;
    read.unwrap_or_else(|_| {
        let waited = humantime::format_duration(most);
        Err(format!("it was not read within {waited}").into())
    })
}

/// Does work where no other task waits for the thread.
///
/// # Errors
///
/// Those of the work; the host is about to stop.
pub async fn elsewhere<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err("the host is about to stop".to_owned()))
}
