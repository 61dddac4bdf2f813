//! A message, looked at before `rmcp` reads it.

use std::sync::Arc;

use ampoule::Principal;
use ampoule_untrusted::json::readable;
use http::Request;
use rmcp::model::{ClientRequest, ErrorCode, GetExtensions, GetMeta};

use super::body::Reservation;
use super::gate::{Gate, in_place};
use super::refusal::HttpRefusal;
use super::session::Session;
use super::sessions::NoRoom;
use super::streams::Listens;
use crate::mcp::caller;
use crate::mcp::client::ToolCaller;
use crate::mcp::incoming::{self, Message};
use crate::mcp::tasks::wire_2025::TaskWish;

/// A message that `rmcp` is to answer.
pub(super) struct PassedMessage {
    pub(super) request: Request<Vec<u8>>,
    /// It asks to hear of changes, for as long as it stays open.
    pub(super) listens: Option<Listens>,
    /// It calls a tool, outside of any session.
    pub(super) caller: Option<ToolCaller>,
}

/// What is known of a message before it is read.
pub(super) struct ArrivedMessage {
    /// The session that it names.
    pub(super) session: Option<Arc<Session>>,
    /// It is long.
    pub(super) heavy: bool,
}

impl Gate {
    /// Looks at a message. None if it needs no further work.
    pub(super) fn looked_at(
        &self,
        mut request: Request<Vec<u8>>,
        principal: Option<&Principal>,
        ArrivedMessage { session, heavy }: ArrivedMessage,
        reserved: &mut Reservation,
    ) -> Result<Option<PassedMessage>, HttpRefusal> {
        let text = readable(request.body().trim_ascii());
        let read = || incoming::alone(&text, self.most);
        let read = if heavy { in_place(read) } else { read() };
        let (mut wanted, mut listens, mut called_by) = (None, None, None);
        match read {
            // Of other methods, it is said where the request leads.
            Some(Message::Refused(refusal))
                if refusal.is_of_sessions || refusal.code != ErrorCode::METHOD_NOT_FOUND =>
            {
                return Err(refusal.into());
            }
            Some(Message::Answer(answer)) => {
                session.ok_or_else(HttpRefusal::no_session)?.settle(&answer);
                return Ok(None);
            }
            Some(Message::Request(read)) => {
                if self.closing.is_cancelled() {
                    return Err(HttpRefusal::stopping(&read.id));
                }
                if matches!(read.request, ClientRequest::InitializeRequest(_)) && session.is_none()
                {
                    self.sessions
                        .make_room(principal)
                        .map_err(|NoRoom| HttpRefusal::full())?;
                }
                self.room.add(reserved, read.bytes)?;
                // `rmcp` reads it again, and does not know of this.
                wanted = read.request.extensions().get::<TaskWish>().copied();
                let client = read.request.get_meta().client_info();
                let client = client.map(|client| caller::bounded(&client.name));
                match read.request {
                    ClientRequest::SubscriptionsListenRequest(asked) if session.is_none() => {
                        let wanted = asked.params.notifications;
                        listens = Some(Listens { wanted, client });
                    }
                    ClientRequest::CallToolRequest(_) if session.is_none() => {
                        let principal = principal.cloned();
                        called_by = Some(ToolCaller { principal, client });
                    }
                    _ => {}
                }
            }
            // Methods that are not known here, and notifications.
            _ => {}
        }
        let text = text.into_owned().into_bytes();
        if let Some(wanted) = wanted {
            request.extensions_mut().insert(wanted);
        }
        let request = request.map(|_| text);
        Ok(Some(PassedMessage {
            request,
            listens,
            caller: called_by,
        }))
    }
}
