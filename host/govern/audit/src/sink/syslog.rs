//! Events to syslog, as RFC 5424 has them: one message each, with the event's line as its text.

use std::io::{self, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _, UdpSocket};
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::time::Duration;

use ampoule_untrusted::text::escape_hidden;

use crate::entry::Entry;
use crate::event::Event;
use crate::outcome::Verdict;
use crate::sink::{Refusal, Sink};

/// The facility «log audit».
const FACILITY: u8 = 13;
/// How long connecting and sending may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a message is at most where it is a datagram, in bytes.
const MOST_DATAGRAM: usize = 60_000;

/// How messages get there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// To `host:port`, a datagram each (RFC 5426): nobody knows whether it arrives.
    Udp(String),
    /// To `host:port`, with their lengths before them (RFC 6587). It is not encrypted: let a relay
    /// on this host do that.
    Tcp(String),
    /// To a socket of this host, such as `/dev/log`.
    Unix(PathBuf),
}

/// A syslog server.
pub struct Syslog {
    transport: Transport,
    host: String,
    connection: Option<Connection>,
}

enum Connection {
    Udp(UdpSocket),
    Tcp(TcpStream),
    Unix(UnixDatagram),
}

impl Syslog {
    /// That server. `host`: what this host is called there.
    pub fn new(transport: Transport, host: &str) -> Self {
        let host: String = host
            .chars()
            .filter(char::is_ascii_graphic)
            .take(255)
            .collect();
        Self {
            transport,
            host: if host.is_empty() {
                "-".to_owned()
            } else {
                host
            },
            connection: None,
        }
    }

    fn message(&self, entry: &Entry) -> String {
        let severity = severity(entry);
        let priority = FACILITY * 8 + severity;
        let at = humantime::format_rfc3339_millis(entry.at);
        let pid = std::process::id();
        // At most 32 visible characters, as are all kinds that there are.
        let kind: String = entry
            .kind
            .chars()
            .filter(char::is_ascii_graphic)
            .take(32)
            .collect();
        let text = escape_hidden(&entry.line);
        format!(
            "<{priority}>1 {at} {} ampoule {pid} {kind} - {text}",
            self.host
        )
    }
}

fn severity(entry: &Entry) -> u8 {
    const WARNING: u8 = 4;
    const NOTICE: u8 = 5;
    const INFORMATIONAL: u8 = 6;
    match &entry.event {
        Some(Event::RequestDenied(_) | Event::Gap(_)) => WARNING,
        Some(Event::Decision(it)) if it.decision == Verdict::Denied => WARNING,
        Some(
            Event::PolicyChanged(_) | Event::SignIn(_) | Event::Configuration(_) | Event::Answer(_),
        ) => NOTICE,
        _ => INFORMATIONAL,
    }
}

impl Connection {
    fn to(transport: &Transport) -> io::Result<Self> {
        match transport {
            Transport::Udp(address) => {
                let address = resolved(address)?;
                let any = if address.is_ipv4() {
                    "0.0.0.0:0"
                } else {
                    "[::]:0"
                };
                let socket = UdpSocket::bind(any)?;
                socket.connect(address)?;
                Ok(Self::Udp(socket))
            }
            Transport::Tcp(address) => {
                let stream = TcpStream::connect_timeout(&resolved(address)?, PATIENCE)?;
                stream.set_write_timeout(Some(PATIENCE))?;
                stream.set_nodelay(true)?;
                Ok(Self::Tcp(stream))
            }
            Transport::Unix(path) => {
                let socket = UnixDatagram::unbound()?;
                socket.connect(path)?;
                socket.set_write_timeout(Some(PATIENCE))?;
                Ok(Self::Unix(socket))
            }
        }
    }

    fn send(&mut self, messages: &[String]) -> io::Result<()> {
        match self {
            Self::Udp(socket) => messages
                .iter()
                .try_for_each(|it| socket.send(datagram(it)).map(drop)),
            Self::Unix(socket) => messages
                .iter()
                .try_for_each(|it| socket.send(datagram(it)).map(drop)),
            Self::Tcp(stream) => {
                let framed = messages.iter().map(|it| format!("{} {it}", it.len()));
                stream.write_all(framed.collect::<String>().as_bytes())
            }
        }
    }
}

fn resolved(address: &str) -> io::Result<std::net::SocketAddr> {
    let found = address.to_socket_addrs()?.next();
    found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the name has no address"))
}

/// What of a message is sent in one datagram.
fn datagram(message: &str) -> &[u8] {
    let mut end = message.len().min(MOST_DATAGRAM);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    &message.as_bytes()[..end]
}

impl Sink for Syslog {
    fn take(&mut self, entries: &[Entry]) -> Result<(), Refusal> {
        let messages: Vec<String> = entries.iter().map(|entry| self.message(entry)).collect();
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::to(&self.transport)?,
        };
        // One that failed is not used again.
        connection.send(&messages)?;
        self.connection = Some(connection);
        Ok(())
    }
}
