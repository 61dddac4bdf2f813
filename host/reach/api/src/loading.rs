//! Reading a description: when it is first needed, once for all who wait, again after a failure, and
//! again where it may have changed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;

/// After a failure, nothing is read for this long.
const PAUSE: Duration = Duration::from_secs(2);

type Read<T> = Result<Arc<T>, Arc<str>>;

/// The API of a description, as soon as that is read.
pub struct Loading<T> {
    state: Mutex<State<T>>,
    /// Held by the one who reads again.
    again: Arc<tokio::sync::Mutex<()>>,
}

/// What is known of a description.
pub enum State<T> {
    /// Nothing yet.
    Unread,
    /// It is being read.
    Reading(Shared<BoxFuture<'static, Read<T>>>),
    /// The API, and when its description was read.
    Ready(Arc<T>, Loaded),
    /// Why it can't be used, and since when that is known.
    Failed(Arc<str>, Instant),
}

/// When a description was read.
#[derive(Debug, Clone, Copy)]
pub struct Loaded {
    /// How long that took.
    took: Duration,
    /// When it was last known to be as it is.
    at: Instant,
}

impl Loaded {
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
    /// In a word: `not-started`, `starting`, `ready` or `failed`.
    pub state: &'static str,
    /// Why it failed, as a sentence.
    pub why: Option<String>,
    /// How many tools there are, if that is known.
    pub tools: Option<usize>,
    /// How long it took to read the description.
    pub read_in: Option<Duration>,
}

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Unread => Self::Unread,
            Self::Reading(reading) => Self::Reading(reading.clone()),
            Self::Ready(api, loaded) => Self::Ready(Arc::clone(api), *loaded),
            Self::Failed(why, at) => Self::Failed(Arc::clone(why), *at),
        }
    }
}

impl<T: Send + Sync + 'static> Loading<T> {
    /// Nothing is read yet.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State::Unread),
            again: Arc::default(),
        })
    }

    /// What is known by now.
    pub fn state(&self) -> State<T> {
        self.state.lock().clone()
    }

    /// The same for people. `tools` counts the tools; `unread` says why there are none.
    pub fn status(
        &self,
        tools: impl FnOnce(&T) -> usize,
        unread: impl FnOnce(&str) -> String,
    ) -> ApiStatus {
        let status = |state| ApiStatus {
            state,
            why: None,
            tools: None,
            read_in: None,
        };
        match self.state() {
            State::Unread => status("not-started"),
            State::Reading(_) => status("starting"),
            State::Ready(api, loaded) => ApiStatus {
                tools: Some(tools(&api)),
                read_in: Some(loaded.took),
                ..status("ready")
            },
            State::Failed(why, _) => ApiStatus {
                why: Some(unread(&why)),
                ..status("failed")
            },
        }
    }

    /// The API, if its description is read already.
    pub fn ready(&self) -> Option<Arc<T>> {
        match &*self.state.lock() {
            State::Ready(api, _) => Some(Arc::clone(api)),
            _ => None,
        }
    }

    /// The API. `begin` reads it within the time; whoever stops waiting leaves the reading to the
    /// others.
    ///
    /// # Errors
    ///
    /// Why the description can't be used.
    pub async fn api<F>(self: &Arc<Self>, most: Duration, begin: impl FnOnce() -> F) -> Read<T>
    where
        F: Future<Output = Result<T, String>> + Send + 'static,
    {
        let reading = {
            let mut state = self.state.lock();
            match &*state {
                State::Ready(api, _) => return Ok(Arc::clone(api)),
                State::Failed(why, at) if at.elapsed() < PAUSE => return Err(Arc::clone(why)),
                State::Reading(reading) => reading.clone(),
                State::Unread | State::Failed(..) => {
                    let reading = self.begin(most, begin());
                    *state = State::Reading(reading.clone());
                    reading
                }
            }
        };
        reading.await
    }

    /// Reads a description again that was read so long ago: `reread` gives the API, if the description
    /// says something else than before. What it said before holds where that fails. Whoever stops
    /// waiting leaves the reading to itself.
    ///
    /// # Errors
    ///
    /// Why the description can't be read now.
    pub async fn refresh<F>(
        self: &Arc<Self>,
        lasts: Duration,
        most: Duration,
        reread: impl FnOnce(Arc<T>) -> F + Send + 'static,
    ) -> Result<(), String>
    where
        F: Future<Output = Result<Option<T>, String>> + Send,
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
            let mut state = this.state.lock();
            // A failure counts as well: a server that is away is not asked all the time.
            if let State::Ready(api, loaded) = &mut *state {
                loaded.at = Instant::now();
                match read {
                    Ok(Some(changed)) => {
                        (*api, *loaded) = (Arc::new(changed), Loaded::since(begun))
                    }
                    Ok(None) => {}
                    Err(why) => return Err(why),
                }
            }
            Ok(())
        });
        let ended = |_| Err("the host is about to stop".to_owned());
        reading.await.unwrap_or_else(ended)
    }

    /// The API, if what is known of it may be of an earlier time.
    fn old(&self, lasts: Duration) -> Option<Arc<T>> {
        match &*self.state.lock() {
            State::Ready(api, loaded) if loaded.at.elapsed() >= lasts => Some(Arc::clone(api)),
            _ => None,
        }
    }

    fn begin(
        self: &Arc<Self>,
        most: Duration,
        read: impl Future<Output = Result<T, String>> + Send + 'static,
    ) -> Shared<BoxFuture<'static, Read<T>>> {
        let this = Arc::clone(self);
        let reading = tokio::spawn(async move {
            let begun = Instant::now();
            let read = in_time(most, read).await;
            let read = read.map(Arc::new).map_err(Arc::from);
            *this.state.lock() = match &read {
                Ok(api) => State::Ready(Arc::clone(api), Loaded::since(begun)),
                Err(why) => State::Failed(Arc::clone(why), Instant::now()),
            };
            read
        });
        let ended = || Err("the host is about to stop".into());
        async move { reading.await.unwrap_or_else(|_| ended()) }
            .boxed()
            .shared()
    }
}

async fn in_time<T>(
    most: Duration,
    read: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    let read = tokio::time::timeout(most, read).await;
    read.unwrap_or_else(|_| {
        let waited = humantime::format_duration(most);
        Err(format!("it was not read within {waited}"))
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
