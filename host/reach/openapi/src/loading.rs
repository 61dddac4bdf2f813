//! Reading a document: when it is first needed, once for all who wait, again after a failure, and
//! again where it may have changed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use http::HeaderMap;
use parking_lot::Mutex;

use crate::api::Api;
use crate::document::{Reader, Source, Wanted};
use crate::options::ApiServer;
use crate::security::{self, OAuthEndpoints, OAuthFlow};
use crate::server::Base;
use crate::transport;
use url::Url;

/// After a failure, nothing is read for this long.
const PAUSE: Duration = Duration::from_secs(2);

/// How long a document is not read again, whoever asks: files are looked at, texts at an address are
/// downloaded.
const FILE_LASTS: Duration = Duration::from_secs(1);
const ADDRESS_LASTS: Duration = Duration::from_secs(60);

type Read = Result<Arc<Api>, Arc<str>>;

/// The API of a document, as soon as that is read.
pub(crate) struct Loading {
    state: Mutex<State>,
    /// Held by the one who reads again.
    again: Arc<tokio::sync::Mutex<()>>,
}

/// What is known of a document.
#[derive(Clone)]
pub(crate) enum State {
    Unread,
    Reading(Shared<BoxFuture<'static, Read>>),
    Ready(Arc<Api>, Loaded),
    Failed(Arc<str>, Instant),
}

/// When a document was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loaded {
    /// How long that took.
    pub(crate) took: Duration,
    /// When it was last known to be as it is.
    at: Instant,
}

impl Loading {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State::Unread),
            again: Arc::default(),
        })
    }

    pub(crate) fn state(&self) -> State {
        self.state.lock().clone()
    }

    /// The API, if its document is read already.
    pub(crate) fn ready(&self) -> Option<Arc<Api>> {
        match &*self.state.lock() {
            State::Ready(api, _) => Some(Arc::clone(api)),
            _ => None,
        }
    }

    /// The API. Whoever stops waiting leaves the reading to the others.
    pub(crate) async fn api(
        self: &Arc<Self>,
        server: &Arc<ApiServer>,
        confidential: &HeaderMap,
    ) -> Read {
        let reading = {
            let mut state = self.state.lock();
            match &*state {
                State::Ready(api, _) => return Ok(Arc::clone(api)),
                State::Failed(why, at) if at.elapsed() < PAUSE => return Err(Arc::clone(why)),
                State::Reading(reading) => reading.clone(),
                State::Unread | State::Failed(..) => {
                    let reading = self.begin(Arc::clone(server), confidential.clone());
                    *state = State::Reading(reading.clone());
                    reading
                }
            }
        };
        reading.await
    }

    /// Reads a document again that was read a while ago. What it said before holds where that fails,
    /// and where nothing changed. Whoever stops waiting leaves the reading to itself.
    ///
    /// # Errors
    ///
    /// Why the document can't be read now.
    pub(crate) async fn refresh(
        self: &Arc<Self>,
        server: &Arc<ApiServer>,
        confidential: &HeaderMap,
    ) -> Result<(), String> {
        if self.old(server).is_none() {
            return Ok(());
        }
        let (this, server) = (Arc::clone(self), Arc::clone(server));
        let confidential = confidential.clone();
        let reading = tokio::spawn(async move {
            let _turn = Arc::clone(&this.again).lock_owned().await;
            // Another one may have read it meanwhile.
            let Some(api) = this.old(&server) else {
                return Ok(());
            };
            let begun = Instant::now();
            let most = server.options.start_timeout;
            let read = tokio::time::timeout(most, reread(&api, &server, confidential)).await;
            let read = read.unwrap_or_else(|_| {
                let waited = humantime::format_duration(most);
                Err(format!("it was not read within {waited}"))
            });
            let mut state = this.state.lock();
            // A failure counts as well: a server that is away is not asked all the time.
            if let State::Ready(api, loaded) = &mut *state {
                loaded.at = Instant::now();
                if let Ok(Some(changed)) = &read {
                    *api = Arc::clone(changed);
                    *loaded = Loaded::since(begun);
                }
            }
            read.map(|_| ())
        });
        let ended = |_| Err("the host is about to stop".to_owned());
        reading.await.unwrap_or_else(ended)
    }

    /// The API, if what is known of it may be of an earlier time.
    fn old(&self, server: &ApiServer) -> Option<Arc<Api>> {
        let lasts = match server.document {
            Source::File(_) => FILE_LASTS,
            Source::Address(_) => ADDRESS_LASTS,
        };
        match &*self.state.lock() {
            State::Ready(api, loaded) if loaded.at.elapsed() >= lasts => Some(Arc::clone(api)),
            _ => None,
        }
    }

    fn begin(
        self: &Arc<Self>,
        server: Arc<ApiServer>,
        confidential: HeaderMap,
    ) -> Shared<BoxFuture<'static, Read>> {
        let this = Arc::clone(self);
        let reading = tokio::spawn(async move {
            let begun = Instant::now();
            let most = server.options.start_timeout;
            let read = tokio::time::timeout(most, read(&server, confidential)).await;
            let read = read.unwrap_or_else(|_| {
                let waited = humantime::format_duration(most);
                Err(format!("it was not read within {waited}"))
            });
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

impl Loaded {
    fn since(begun: Instant) -> Self {
        Self {
            took: begun.elapsed(),
            at: Instant::now(),
        }
    }
}

/// The API as its document says it now, unless that says the same as before.
async fn reread(
    api: &Arc<Api>,
    server: &Arc<ApiServer>,
    confidential: HeaderMap,
) -> Result<Option<Arc<Api>>, String> {
    let known = Arc::clone(api);
    if !elsewhere(move || Ok(known.described.documents.may_differ())).await? {
        return Ok(None);
    }
    let reader = texts(server, confidential).await?;
    let (server, known) = (Arc::clone(server), Arc::clone(api));
    elsewhere(move || {
        let (documents, problems) = reader.done()?;
        match documents.says_the_same(&known.described.documents) {
            true => Ok(None),
            false => Ok(Some(Arc::new(Api::of(documents, problems, &server)?))),
        }
    })
    .await
}

/// Reads a document, and makes tools of it where nobody else waits for the thread.
async fn read(server: &Arc<ApiServer>, confidential: HeaderMap) -> Result<Api, String> {
    let reader = texts(server, confidential).await?;
    let server = Arc::clone(server);
    elsewhere(move || {
        let (documents, problems) = reader.done()?;
        Api::of(documents, problems, &server)
    })
    .await
}

/// Reads a document, and all files that it refers to.
async fn texts(server: &ApiServer, confidential: HeaderMap) -> Result<Reader, String> {
    let base = Base::of_server(server)?;
    let mut reader = Reader::new(server.document.clone());
    loop {
        let wanted;
        (reader, wanted) = elsewhere(move || {
            let wanted = reader.go_on()?;
            Ok((reader, wanted))
        })
        .await?;
        let Wanted::Address(url) = wanted else {
            return Ok(reader);
        };
        // What is secret goes with a document only to the server itself.
        let is_own = is_at(&base, &url);
        let headers = match is_own {
            true => confidential.clone(),
            false => HeaderMap::new(),
        };
        let text = transport::document(&url, headers, server).await;
        reader = elsewhere(move || reader.add(text).map(|()| reader)).await?;
    }
}

fn is_at(base: &Base, url: &Url) -> bool {
    base.configured()
        .is_some_and(|base| base.origin() == url.origin())
}

/// Where people or machines sign in to an API, as its document says.
///
/// # Errors
///
/// The document can't be read, does not say it, or is not the one to say it.
pub async fn oauth_endpoints(
    server: &ApiServer,
    flow: OAuthFlow,
) -> Result<OAuthEndpoints, String> {
    let base = Base::of_server(server)?;
    let Some(at) = base.configured().cloned() else {
        return Err("a sign-in needs the `base-url` of the API".to_owned());
    };
    let reading = texts(server, HeaderMap::new());
    let reader = tokio::time::timeout(server.options.start_timeout, reading).await;
    let reader = reader.unwrap_or_else(|_| Err("it was not read in time".to_owned()))?;
    let (documents, _) = elsewhere(move || reader.done()).await?;
    let found = security::endpoints(&documents, flow, &at);
    let found = found.ok_or("its document has no OAuth 2 scheme with this `grant`")?;
    if let Source::Address(document) = &server.document {
        let is_known = |url: &Url| url.host() == at.host() || url.host() == document.host();
        let is_trusted = is_at(&base, document)
            || std::iter::once(&found.token)
                .chain(&found.authorization)
                .all(is_known);
        if !is_trusted {
            return Err("its document is at an address, and names another server to sign in at; if that is right, save the document as a file".to_owned());
        }
    }
    Ok(found)
}

async fn elsewhere<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err("the host is about to stop".to_owned()))
}

/// A document, as messages name it.
pub(crate) fn shown(source: &Source) -> String {
    match source {
        Source::File(path) => crate::text::line(&path.to_string_lossy()),
        Source::Address(url) => {
            let mut url = url.clone();
            // There may be secrets in it.
            url.set_query(None);
            let _ = url.set_password(None);
            let _ = url.set_username("");
            crate::text::line(url.as_str())
        }
    }
}
