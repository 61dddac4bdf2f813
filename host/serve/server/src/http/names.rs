//! The host names of this server, and the origins that may use it. Otherwise a page elsewhere could
//! resolve its own name to this server (DNS rebinding), and act for the person who looks at it.

use std::net::IpAddr;

use http::header::{HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, Request, Uri};

/// The names that a connection from this machine has.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Those that are allowed.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    hosts: Vec<Authority>,
    origins: Vec<Uri>,
}

/// Why a request is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ForeignName {
    Host,
    Origin,
}

impl Names {
    /// Allows these beside those of this machine. Returns the first that is not a name.
    pub(super) fn new<'a>(hosts: &'a [String], origins: &'a [String]) -> Result<Self, &'a str> {
        let hosts = hosts
            .iter()
            .map(|host| host.parse().map_err(|_| host.as_str()));
        let origins = origins.iter().map(|origin| {
            let parsed: Option<Uri> = origin.parse().ok();
            let whole = parsed.filter(|uri| uri.scheme().is_some() && uri.authority().is_some());
            whole.filter(|uri| uri.path() == "/").ok_or(origin.as_str())
        });
        Ok(Self {
            hosts: hosts.collect::<Result<_, _>>()?,
            origins: origins.collect::<Result<_, _>>()?,
        })
    }

    /// Allows one more name.
    pub(super) fn allow(&mut self, host: Option<Authority>) {
        self.hosts.extend(host);
    }

    /// Whether a request may come in on a connection to this address. No browser reaches a socket
    /// that has none.
    pub(super) fn check<B>(
        &self,
        request: &Request<B>,
        local: Option<IpAddr>,
    ) -> Result<(), ForeignName> {
        let Some(local) = local else {
            return Ok(());
        };
        self.host(request, local)?;
        match origin(request.headers()) {
            None => Ok(()),
            Some(Ok(origin)) if self.allows(&origin, local) => Ok(()),
            Some(_) => Err(ForeignName::Origin),
        }
    }

    /// Whether a browser may look at a page here, and send its form. A form without an origin is
    /// checked by the page itself.
    pub(super) fn check_page<B>(
        &self,
        request: &Request<B>,
        local: Option<IpAddr>,
    ) -> Result<(), ForeignName> {
        let Some(local) = local else {
            return Ok(());
        };
        let host = self.host(request, local)?;
        let headers = request.headers();
        match origin(headers) {
            None => Ok(()),
            Some(Ok(origin)) if origin.authority() == Some(&host) => Ok(()),
            _ if headers.get_all(ORIGIN).iter().eq(["null"]) => Ok(()),
            Some(_) => Err(ForeignName::Origin),
        }
    }

    /// The name that it came by, which must be one of this server.
    fn host<B>(&self, request: &Request<B>, local: IpAddr) -> Result<Authority, ForeignName> {
        let host = host(request).ok_or(ForeignName::Host)?;
        let is_own = host.host().trim_matches(['[', ']']).parse() == Ok(local);
        let is_allowed = self.hosts.iter().any(|allowed| is_same(allowed, &host));
        match is_own || is_allowed || is_loopback(&host) {
            true => Ok(host),
            false => Err(ForeignName::Host),
        }
    }

    fn allows(&self, origin: &Uri, local: IpAddr) -> bool {
        let own = local.is_loopback() && origin.authority().is_some_and(is_loopback);
        let is = |allowed: &Uri| {
            allowed.scheme() == origin.scheme()
                && allowed
                    .authority()
                    .zip(origin.authority())
                    .is_some_and(|(a, b)| {
                        a.host().eq_ignore_ascii_case(b.host()) && a.port_u16() == b.port_u16()
                    })
        };
        own || self.origins.iter().any(is)
    }
}

/// A configured name without a port has any.
fn is_same(allowed: &Authority, host: &Authority) -> bool {
    allowed.host().eq_ignore_ascii_case(host.host())
        && allowed
            .port_u16()
            .is_none_or(|port| host.port_u16() == Some(port))
}

fn is_loopback(authority: &Authority) -> bool {
    let is = |name: &&str| authority.host().eq_ignore_ascii_case(name);
    LOOPBACK.iter().any(is)
}

/// The one host that a request names. HTTP/2 has it in the address.
fn host<B>(request: &Request<B>) -> Option<Authority> {
    let mut named = request.headers().get_all(HOST).iter();
    let host = match named.next() {
        Some(host) => Authority::try_from(host.as_bytes()).ok()?,
        None => request.uri().authority()?.clone(),
    };
    let agree = request.uri().authority().is_none_or(|uri| *uri == host);
    (named.next().is_none() && agree && !host.as_str().contains('@')).then_some(host)
}

/// Where the page is from that makes the request, if one does.
fn origin(headers: &HeaderMap) -> Option<Result<Uri, ()>> {
    let mut named = headers.get_all(ORIGIN).iter();
    let first = named.next()?;
    let alone = named.next().is_none();
    let parsed = Uri::try_from(first.as_bytes()).ok();
    Some(
        parsed
            .filter(|uri| alone && uri.scheme().is_some())
            .ok_or(()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &Names, local: &str, headers: &[(&str, &str)]) -> Result<(), ForeignName> {
        let mut request = Request::builder().uri("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        names.check(&request.body(()).unwrap(), local.parse().ok())
    }

    #[test]
    fn names_of_this_machine_are_allowed_and_no_others() {
        let names = Names::default();
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "[::1]:1"] {
            assert_eq!(
                check(&names, "127.0.0.1", &[("host", host)]),
                Ok(()),
                "{host}"
            );
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example:8080",
            "evil.example@localhost",
            "10.0.0.1",
            "",
            "a b",
        ] {
            let found = check(&names, "127.0.0.1", &[("host", host)]);
            assert_eq!(found, Err(ForeignName::Host), "{host}");
        }
        assert_eq!(check(&names, "127.0.0.1", &[]), Err(ForeignName::Host));
        let twice = [("host", "localhost"), ("host", "evil.example")];
        assert_eq!(check(&names, "127.0.0.1", &twice), Err(ForeignName::Host));
        assert_eq!(
            check(&names, "10.0.0.1", &[("host", "10.0.0.1:80")]),
            Ok(())
        );
        assert_eq!(
            check(&names, "fe80::1", &[("host", "[fe80::1]:80")]),
            Ok(())
        );
    }

    #[test]
    fn pages_of_this_machine_are_allowed_and_those_that_are_configured() {
        let hosts = ["mcp.example.com".to_owned(), "a.example:444".to_owned()];
        let origins = ["https://chat.example.com".to_owned()];
        let names = Names::new(&hosts, &origins).unwrap();
        let with =
            |host, origin, local| check(&names, local, &[("host", host), ("origin", origin)]);
        let (here, there) = ("127.0.0.1", "10.0.0.1");
        assert_eq!(with("localhost", "http://localhost:6274", here), Ok(()));
        assert_eq!(
            with("mcp.example.com", "https://chat.example.com", there),
            Ok(())
        );
        assert_eq!(
            with("mcp.example.com:8443", "https://chat.example.com", there),
            Ok(())
        );
        assert_eq!(
            check(&names, there, &[("host", "a.example:445")]),
            Err(ForeignName::Host)
        );
        for origin in [
            "http://chat.example.com",
            "https://chat.example.com:8443",
            "https://evil.example",
            "http://localhost:6274",
            "null",
            "",
            "https://",
        ] {
            let found = with("mcp.example.com", origin, there);
            assert_eq!(found, Err(ForeignName::Origin), "{origin}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused_when_it_is_configured() {
        let (none, wrong) = (Vec::new(), vec!["a b".to_owned()]);
        assert_eq!(Names::new(&wrong, &none).err(), Some("a b"));
        for origin in ["chat.example.com", "https://a.example/path", "null"] {
            let origins = vec![origin.to_owned()];
            assert_eq!(Names::new(&none, &origins).err(), Some(origin));
        }
    }
}
