//! Why a request failed, in words.

use std::io;
use std::time::Duration;

use rustls::CertificateError;

use crate::exhausted::{EXHAUSTED, is_exhausted};

/// Why a request failed, in words. `connect`: how long a connection might take to be made.
pub fn explained(error: &reqwest::Error, connect: Duration) -> String {
    let mut last: &(dyn std::error::Error + 'static) = error;
    let mut dns = false;
    loop {
        dns |= last.to_string().contains("dns error");
        if let Some(words) = last.downcast_ref::<rustls::Error>().map(of_tls) {
            return words;
        }
        // What an I/O error holds is not among its sources.
        let held = last
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        match held.map_or_else(|| last.source(), |held| Some(held)) {
            Some(source) => last = source,
            None => break,
        }
    }
    if last.downcast_ref().is_some_and(is_exhausted) {
        return EXHAUSTED.to_owned();
    }
    if dns {
        return "its host name can't be resolved".to_owned();
    }
    let kind = last.downcast_ref::<io::Error>().map(io::Error::kind);
    match kind {
        Some(io::ErrorKind::ConnectionRefused) => "nothing listens at its address".to_owned(),
        Some(io::ErrorKind::ConnectionReset) => "it closed the connection".to_owned(),
        Some(io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable) => {
            "no network leads to its address".to_owned()
        }
        _ if error.is_timeout() && error.is_connect() => {
            let waited = humantime::format_duration(connect);
            format!("it did not accept a connection within {waited}")
        }
        _ => ampoule_untrusted::text::one_line(&last.to_string()).into_owned(),
    }
}

fn of_tls(error: &rustls::Error) -> String {
    use CertificateError as Bad;
    let rustls::Error::InvalidCertificate(bad) = error else {
        let error = error.to_string();
        return format!("TLS failed: {}", ampoule_untrusted::text::one_line(&error));
    };
    match bad {
        Bad::Expired | Bad::ExpiredContext { .. } => "its certificate has expired".to_owned(),
        Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
            "its certificate is not valid yet".to_owned()
        }
        Bad::NotValidForName | Bad::NotValidForNameContext { .. } => {
            "its certificate is for another name".to_owned()
        }
        // An authority of the same name has another key.
        Bad::UnknownIssuer | Bad::BadSignature => "its certificate is from an authority that is not trusted; if that is your company's own, name its file in `tls.authority`".to_owned(),
        Bad::Revoked => "its certificate was revoked".to_owned(),
        other => format!("its certificate is invalid: {other:?}"),
    }
}
