//! Sessions: history, rewind, fork.

use std::sync::Arc;
use std::time::SystemTime;

use ampoule::{Principal, SessionMetadata, Sessions};
use ampoule_audit::{Event, Session as SessionEvent};

use super::find_run::or_none;
use super::work::blocking;
use super::{cursor, time};
use crate::model::{
    ForkRequest, Page, PageQuery, RewindRequest, SessionDetail, SessionHead, SessionRow,
    SessionVariable, Viewer,
};
use crate::{Console, ConsoleError};

/// No other words for a session of another principal.
const UNKNOWN: ConsoleError = ConsoleError::NotFound("this session");

impl Console {
    /// The sessions of a principal, the last used first. Default: the viewer's own.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`] if the viewer may not see that principal's; the cursor is unknown.
    pub async fn sessions(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        wanted: &PageQuery,
    ) -> Result<Page<SessionRow>, ConsoleError> {
        let owner = owner(viewer, principal)?;
        let Some(shelf) = self.session_shelf(owner.as_ref())? else {
            return cursor::by_name(Vec::new(), wanted, |row: &SessionRow| row.name.clone());
        };
        let listed = blocking(move || Ok(shelf.list()?)).await?;
        let row = |entry: &ampoule::SessionEntry| SessionRow {
            name: entry.name.clone(),
            principal: owner.as_ref().map(|it| it.name().to_string()),
            run: entry.run,
            back: entry.back as u64,
            bytes: entry.bytes,
            used: time::text(entry.used),
        };
        let mut rows: Vec<SessionRow> = listed.iter().map(row).collect();
        let key = |row: &SessionRow| (std::cmp::Reverse(row.used.clone()), row.name.clone());
        rows.sort_by_cached_key(key);
        let name = |row: &SessionRow| format!("{}\n{}", row.used, row.name);
        let read = |name: &str| {
            let (used, name) = name.split_once('\n')?;
            Some((std::cmp::Reverse(used.to_owned()), name.to_owned()))
        };
        cursor::page(rows, wanted, key, name, read)
    }

    /// A session, with the states that it can be rewound to.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`]; [`ConsoleError::Conflict`] while a run of the session is active.
    pub async fn session(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        name: &str,
    ) -> Result<SessionDetail, ConsoleError> {
        let owner = owner(viewer, principal)?;
        let shelf = self.session_shelf(owner.as_ref())?.ok_or(UNKNOWN)?;
        let name = name.to_owned();
        blocking(move || {
            let listed = shelf.list()?;
            let entry = listed.into_iter().find(|entry| entry.name == name);
            let entry = entry.ok_or(UNKNOWN)?;
            let session = shelf.take(&name)?;
            let heads = session.heads()?;
            let history = heads
                .iter()
                .map(|number| Ok(head(&session.about(*number)?)));
            let history = history.collect::<Result<Vec<_>, ConsoleError>>()?;
            Ok(SessionDetail {
                row: SessionRow {
                    name,
                    principal: owner.as_ref().map(|it| it.name().to_string()),
                    run: entry.run,
                    back: entry.back as u64,
                    bytes: entry.bytes,
                    used: time::text(entry.used),
                },
                history,
            })
        })
        .await
    }

    /// Rewinds a session. One that is rewound to before its first run is gone: its row says run 0.
    ///
    /// # Errors
    ///
    /// As for [`session`](Self::session); [`ConsoleError::Conflict`] if it can't go back so far, or the
    /// audit log can't record it.
    pub async fn rewind_session(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        name: &str,
        request: RewindRequest,
    ) -> Result<SessionDetail, ConsoleError> {
        let (owner, shelf) = self.session_of(viewer, principal, name).await?;
        let taken = name.to_owned();
        blocking(move || Ok(shelf.take(&taken)?.rewind(request.runs)?)).await?;
        self.record(event(viewer, "rewound", owner.as_ref(), name, None))?;
        match self.session(viewer, principal, name).await {
            // Nothing is left of it.
            Err(ConsoleError::NotFound(_)) => Ok(before_its_first_run(owner.as_ref(), name)),
            shown => shown,
        }
    }

    /// Copies a session, with all runs that it can be rewound by.
    ///
    /// # Errors
    ///
    /// As for [`session`](Self::session); [`ConsoleError::Conflict`] if the name is taken, or the audit
    /// log can't record it.
    pub async fn fork_session(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        name: &str,
        request: ForkRequest,
    ) -> Result<SessionDetail, ConsoleError> {
        let (owner, shelf) = self.session_of(viewer, principal, name).await?;
        let (taken, copy) = (name.to_owned(), request.name.clone());
        blocking(move || Ok(shelf.take(&taken)?.fork(&copy)?)).await?;
        let forked = event(viewer, "forked", owner.as_ref(), &request.name, Some(name));
        self.record(forked)?;
        self.session(viewer, principal, &request.name).await
    }

    /// The shelf with a session that exists.
    async fn session_of(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        name: &str,
    ) -> Result<(Option<Principal>, Arc<Sessions>), ConsoleError> {
        let owner = owner(viewer, principal)?;
        let shelf = self.session_shelf(owner.as_ref())?.ok_or(UNKNOWN)?;
        let (listed, name) = (Arc::clone(&shelf), name.to_owned());
        let is_there = blocking(move || Ok(listed.about(&name)?.is_some())).await?;
        is_there.then_some((owner, shelf)).ok_or(UNKNOWN)
    }

    fn session_shelf(
        &self,
        owner: Option<&Principal>,
    ) -> Result<Option<Arc<Sessions>>, ConsoleError> {
        or_none(self.sources().runtime().sessions(owner))
    }

    /// Writes to the audit log that something was done, if there is one.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::Conflict`]: it is done, and the log lacks it.
    pub(crate) fn record(&self, event: Event) -> Result<(), ConsoleError> {
        let governance = self.sources().runtime().governance();
        let Some(log) = governance.and_then(|it| it.audit()) else {
            return Ok(());
        };
        let written = log.write(&event).map(drop);
        written.map_err(|problem| {
            ConsoleError::Conflict(format!(
                "this is done, but the audit log lacks its event: {problem}"
            ))
        })
    }
}

/// The principal whose things are meant: the viewer, or the one that an operator names.
///
/// # Errors
///
/// [`ConsoleError::NotFound`]: the viewer may not see what belongs to that principal.
pub(super) fn owner(
    viewer: &Viewer,
    principal: Option<&str>,
) -> Result<Option<Principal>, ConsoleError> {
    let Some(name) = principal.filter(|name| !name.is_empty()) else {
        return Ok(viewer.owner().cloned());
    };
    if name == viewer.name() {
        return Ok(viewer.owner().cloned());
    }
    if !viewer.is_operator() {
        return Err(ConsoleError::NotFound("this principal"));
    }
    Ok((name != ampoule_governance::LOCAL).then(|| Principal::new(name)))
}

/// A session that was rewound to before its first run.
fn before_its_first_run(owner: Option<&Principal>, name: &str) -> SessionDetail {
    SessionDetail {
        row: SessionRow {
            name: name.to_owned(),
            principal: owner.map(|it| it.name().to_string()),
            run: 0,
            back: 0,
            bytes: 0,
            used: time::text(SystemTime::now()),
        },
        history: Vec::new(),
    }
}

fn event(
    viewer: &Viewer,
    action: &str,
    owner: Option<&Principal>,
    name: &str,
    from: Option<&str>,
) -> Event {
    Event::Session(SessionEvent {
        action: action.into(),
        name: name.into(),
        principal: owner.map(|it| Arc::clone(it.name())),
        by: Some(viewer.name().into()),
        from: from.map(Into::into),
        ..SessionEvent::default()
    })
}

fn head(about: &SessionMetadata) -> SessionHead {
    let variables = about.names.iter().map(|variable| SessionVariable {
        name: variable.name.clone(),
        kind: variable.kind.clone(),
        size: variable.size.map(u64::from),
    });
    SessionHead {
        run: about.run,
        language: about.language.clone(),
        memory_bytes: about.memory_bytes,
        variables: variables.collect(),
        more: u64::from(about.more),
    }
}
