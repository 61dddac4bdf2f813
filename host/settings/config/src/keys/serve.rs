//! The keys of how Ampoule is reached, and watched.

use super::servers::TLS;
use super::{Form, Key, key};

/// Those of the server.
pub(crate) const SERVE: &[Key] = &[
    key(
        "auth",
        Form::Table(ACCESS),
        "Who may use it. Tokens are looked for first, then what an issuer signed.",
    ),
    key(
        "hosts",
        Form::Texts,
        "Names that it is reached by, such as `mcp.example.com`, beside those of this machine.",
    ),
    key(
        "origins",
        Form::Texts,
        "Pages that may use it, such as `https://chat.example.com`, beside those of this machine.",
    ),
    key(
        "tls-cert",
        Form::Text,
        "A file in PEM with the certificate that it serves with. Read again when it changes.",
    ),
    key(
        "tls-key",
        Form::Text,
        "A file in PEM with that certificate's key.",
    ),
    key(
        "connections",
        Form::Quantity,
        "How many connections there may be. Default: 8192.",
    ),
    key(
        "connections-each",
        Form::Quantity,
        "How many connections of one address; those of this machine are not counted. Default: 256.",
    ),
    key(
        "requests-each",
        Form::Quantity,
        "How many requests of one principal may be under way. Default: 256.",
    ),
    key(
        "sessions",
        Form::Quantity,
        "How many sessions there may be. Default: 16384.",
    ),
    key(
        "sessions-each",
        Form::Quantity,
        "How many sessions one principal may have; above that, the one unused for longest ends. Default: 8192.",
    ),
    key(
        "session-idle",
        Form::Quantity,
        "How long a session is kept that nobody uses. Default: `1h`.",
    ),
    key(
        "stop-grace",
        Form::Quantity,
        "How long runs may go on once the server is told to stop. Default: `10s`.",
    ),
];

/// Those of who may use it.
pub(crate) const ACCESS: &[Key] = &[
    key(
        "tokens",
        Form::Text,
        "A file with the digests of tokens, each a principal's; `ampoule auth token add` adds one.",
    ),
    key(
        "tokens-command",
        Form::Texts,
        "A command and its arguments, which prints such a list, once a minute.",
    ),
    key(
        "issuer",
        Form::Text,
        "A company's OAuth issuer, exactly as it names itself, whose signed tokens are taken.",
    ),
    key(
        "audience",
        Form::Text,
        "Whom the issuer's tokens must be for, such as `https://ampoule.example.com/mcp`.",
    ),
    key(
        "resource",
        Form::Text,
        "The address at which clients reach this server. Default: `audience`.",
    ),
    key(
        "scopes",
        Form::Texts,
        "What the issuer's tokens must allow, all of it.",
    ),
    key(
        "principal-claim",
        Form::Text,
        "The claim that names the principal. Default: `sub`.",
    ),
    key(
        "groups-claim",
        Form::Text,
        "The claim that names the groups that they are in, which roles and policies may name. Default: `groups`.",
    ),
    key(
        "tls",
        Form::Table(TLS),
        "How the issuer is told to be who it says.",
    ),
];

pub(crate) const TELEMETRY: &[Key] = &[
    key(
        "endpoint",
        Form::Text,
        "The address of the collector, such as `http://localhost:4318`. Without one, nothing is sent.",
    ),
    key(
        "headers",
        Form::Variables,
        "Headers of every request to it.",
    ),
    key(
        "service-name",
        Form::Text,
        "What this process is called there. Default: `ampoule`.",
    ),
    key(
        "sample",
        Form::Text,
        "Which part of the traces that begin here is sent, such as `10%`. Default: all.",
    ),
];
