//! The keys of what leaves besides tools.

use super::{Form, Key, key};

pub(crate) const OUTBOUND: &[Key] = &[
    key(
        "allow",
        Form::List(OUTBOUND_ALLOW),
        "Requests that are made; of several rules that mean one, the first counts.",
    ),
    key(
        "deny",
        Form::List(OUTBOUND_DENY),
        "Requests that are not made even where a rule allows them.",
    ),
    key(
        "timeout",
        Form::Quantity,
        "How long a request may take, redirects and all of its response included. Default: `30s`.",
    ),
    key(
        "request",
        Form::Quantity,
        "How large a request's body may be. Default: `4MiB`.",
    ),
    key(
        "response",
        Form::Quantity,
        "How large a response's body may be, before and after it is decompressed. Default: `8MiB`.",
    ),
    key(
        "concurrency",
        Form::Quantity,
        "How many requests may be under way at once, of all runs together; further ones wait. Default: 64.",
    ),
    key(
        "proxy",
        Form::Boolean,
        "Whether the environment's proxies are used. They look names up themselves, so keeping requests out of private networks is theirs then. Default: false.",
    ),
];

/// Those of one of `outbound.allow`.
pub(crate) const OUTBOUND_ALLOW: &[Key] = &[
    HOSTS,
    key(
        "methods",
        Form::Texts,
        "With which methods; `*` is any. Default: `GET` and `HEAD`.",
    ),
    PATHS,
    key(
        "headers",
        Form::Variables,
        "Headers that the host adds, such as a token from `${VARIABLE}`. Scripts never see them.",
    ),
    key(
        "private",
        Form::Boolean,
        "Whether the hosts may be in a private network, such as this machine itself. Default: false.",
    ),
];

/// Those of one of `outbound.deny`.
pub(crate) const OUTBOUND_DENY: &[Key] = &[
    HOSTS,
    key("methods", Form::Texts, "With which methods. Default: any."),
    PATHS,
];

pub(crate) const HOSTS: Key = key(
    "hosts",
    Form::Texts,
    "To whom: `api.example.com`, `*.example.com`, `*`, with another scheme or port where that is meant: `http://example.com:8080`.",
);

pub(crate) const PATHS: Key = key(
    "paths",
    Form::Texts,
    "With which paths: `/v1/items`, or `/v1/*`, where each `*` stands for any text. Default: any.",
);
