//! Where a server is reached.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

/// How long nothing is accepted where the system has no more to give.
pub(super) const EXHAUSTED: Duration = Duration::from_millis(100);

/// Where a server is to be reached: `8080` (on this machine alone), `127.0.0.1:8080`,
/// `[::1]:8080`, `unix:PATH`, or `systemd`, which hands over what it listens on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// By TCP. Port 0 is any that is free.
    Tcp(SocketAddr),
    /// By a socket in the file system.
    Unix(PathBuf),
    /// By what systemd listens on.
    Systemd,
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "systemd" {
            return Ok(Self::Systemd);
        }
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(Self::Unix(path.into()));
        }
        if let Ok(port) = text.parse() {
            return Ok(Self::Tcp((Ipv4Addr::LOCALHOST, port).into()));
        }
        if let Some(port) = text
            .strip_prefix("localhost:")
            .and_then(|port| port.parse().ok())
        {
            return Ok(Self::Tcp((Ipv4Addr::LOCALHOST, port).into()));
        }
        text.parse().map(Self::Tcp).map_err(|_| {
            "write a port (`8080`), an address and a port (`127.0.0.1:8080`, `[::1]:8080`, `0.0.0.0:8080`), `unix:PATH`, or `systemd`"
                .to_owned()
        })
    }
}

/// What a server listens on.
#[derive(Debug)]
pub struct Listener(Kind);

#[derive(Debug)]
enum Kind {
    Tcp(TcpListener),
    /// The file is removed with it, unless another process made the file.
    Unix(UnixListener, Option<PathBuf>),
}

/// A connection that was accepted.
pub(super) enum AcceptedStream {
    Tcp(TcpStream, SocketAddr),
    Unix(UnixStream),
}

impl Listener {
    /// Listens at an address. A socket in the file system can be reached by its owner alone.
    ///
    /// # Errors
    ///
    /// Where that address can't be had; and for [`Address::Systemd`], whose sockets are given to
    /// [`from_fd`](Self::from_fd).
    pub async fn bind(address: &Address) -> io::Result<Self> {
        Ok(Self(match address {
            Address::Tcp(address) => Kind::Tcp(TcpListener::bind(address).await?),
            Address::Unix(path) => {
                remove_stale(path)?;
                let listener = UnixListener::bind(path)?;
                std::fs::set_permissions(path, PermissionsExt::from_mode(0o600))?;
                Kind::Unix(listener, Some(path.clone()))
            }
            Address::Systemd => return Err(io::ErrorKind::Unsupported.into()),
        }))
    }

    /// Takes over a socket that another process opened.
    ///
    /// # Errors
    ///
    /// If it is not one of these.
    pub fn from_fd(socket: OwnedFd) -> io::Result<Self> {
        let tcp = std::net::TcpListener::from(socket);
        tcp.set_nonblocking(true)?;
        if tcp.local_addr().is_ok() {
            return TcpListener::from_std(tcp).map(Kind::Tcp).map(Self);
        }
        let unix = std::os::unix::net::UnixListener::from(OwnedFd::from(tcp));
        unix.local_addr()?;
        let unix = UnixListener::from_std(unix)?;
        Ok(Self(Kind::Unix(unix, None)))
    }

    /// Whether other machines can reach it.
    ///
    /// # Errors
    ///
    /// Where the system does not say.
    pub fn is_public(&self) -> io::Result<bool> {
        Ok(match &self.0 {
            Kind::Tcp(listener) => !is_loopback(listener.local_addr()?.ip()),
            Kind::Unix(..) => false,
        })
    }

    pub(super) async fn accept(&self) -> io::Result<AcceptedStream> {
        match &self.0 {
            Kind::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok(AcceptedStream::Tcp(stream, peer))
            }
            Kind::Unix(listener, _) => Ok(AcceptedStream::Unix(listener.accept().await?.0)),
        }
    }

    /// Its port; none on a socket in the file system.
    pub fn port(&self) -> Option<u16> {
        match &self.0 {
            Kind::Tcp(listener) => listener.local_addr().ok().map(|address| address.port()),
            Kind::Unix(..) => None,
        }
    }
}

/// As a person would write it.
impl fmt::Display for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Tcp(listener) => match listener.local_addr() {
                Ok(address) => write!(f, "{address}"),
                Err(_) => f.write_str("an unknown address"),
            },
            Kind::Unix(listener, _) => {
                let address = listener.local_addr().ok();
                let path = address.as_ref().and_then(|address| address.as_pathname());
                write!(f, "unix:{}", path.unwrap_or(Path::new("")).display())
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Kind::Unix(_, Some(path)) = &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Whether only this machine has such an address, also where it is written in the longer form.
pub(super) fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Removes a socket that a process left behind which is gone.
fn remove_stale(path: &Path) -> io::Result<()> {
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if is_socket && std::os::unix::net::UnixStream::connect(path).is_err() {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_a_port_an_address_a_path_or_systemd() {
        let tcp = |text: &str| Ok(Address::Tcp(text.parse().unwrap()));
        assert_eq!("8080".parse(), tcp("127.0.0.1:8080"));
        assert_eq!("localhost:1".parse(), tcp("127.0.0.1:1"));
        assert_eq!("[::1]:0".parse(), tcp("[::1]:0"));
        assert_eq!("0.0.0.0:80".parse(), tcp("0.0.0.0:80"));
        assert_eq!("unix:/run/a".parse(), Ok(Address::Unix("/run/a".into())));
        assert_eq!("systemd".parse(), Ok(Address::Systemd));
        for wrong in [
            "",
            "unix:",
            "70000",
            "example.com:80",
            "127.0.0.1",
            "::1:80:",
        ] {
            assert!(wrong.parse::<Address>().is_err(), "{wrong}");
        }
    }

    #[tokio::test]
    async fn a_socket_in_the_file_system_is_its_owners_and_goes_with_the_server() {
        let folder = std::env::temp_dir().join(format!("ampoule-listen-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("socket");
        // As a process leaves it that was killed.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let listener = Listener::bind(&Address::Unix(path.clone())).await.unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(!listener.is_public().unwrap());
        let second = Listener::bind(&Address::Unix(path.clone())).await;
        assert_eq!(second.unwrap_err().kind(), io::ErrorKind::AddrInUse);
        drop(listener);
        assert!(!path.exists());
        std::fs::remove_dir(&folder).unwrap();
    }
}
