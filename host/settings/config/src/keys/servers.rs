//! The keys of a server's table.

use super::{Form, Key, key};

/// Those of a server.
pub(crate) const SERVER: &[Key] = &[
    key(
        "command",
        Form::Text,
        "The program that is the server: a name that is looked up in PATH, or a path.",
    ),
    key("args", Form::Texts, "Its arguments."),
    key("env", Form::Variables, "Variables for this server alone."),
    key("cwd", Form::Text, "The folder that it starts in."),
    key(
        "url",
        Form::Text,
        "The address of a server that is reached by HTTP, instead of `command`.",
    ),
    key(
        "transport",
        Form::Choice(&["auto", "http", "sse"]),
        "How it is reached: by streamable HTTP, by the old HTTP+SSE, or by whichever of them it speaks. Default: `auto`.",
    ),
    key(
        "headers",
        Form::Variables,
        "Headers of every request to it.",
    ),
    key(
        "headers-command",
        Form::Texts,
        "A command and its arguments, which prints further headers as a JSON object.",
    ),
    key(
        "auth",
        Form::Table(AUTH),
        "How Ampoule signs in to it, where what the server itself says is not enough.",
    ),
    key("tls", Form::Table(TLS), "How it is told to be who it says."),
    key(
        "call-timeout",
        Form::Quantity,
        "How long one call may take, such as `5min`.",
    ),
    key(
        "start-timeout",
        Form::Quantity,
        "How long it may show no life while it starts, such as `30s`.",
    ),
    key(
        "idle-timeout",
        Form::Quantity,
        "How long it is kept when nobody calls it, such as `10min`.",
    ),
    key(
        "concurrency",
        Form::Quantity,
        "How many calls it gets at once.",
    ),
    key(
        "rate",
        Form::Text,
        "How many calls it gets in a time, such as `10/s` or `300/min`.",
    ),
    key(
        "tools",
        Form::Table(TOOLS),
        "Which of its tools there are. For scripts, the others do not exist.",
    ),
    key(
        "roots",
        Form::Texts,
        "Folders that the server is told it may work in.",
    ),
    key(
        "disabled",
        Form::Boolean,
        "Whether it is switched off; so is one of this name that is imported.",
    ),
];

pub(crate) const TOOLS: &[Key] = &[
    key(
        "allow",
        Form::Texts,
        "Tools by name, or patterns such as `get_*`. Default: all.",
    ),
    key(
        "deny",
        Form::Texts,
        "Those that there are not, whatever `allow` says.",
    ),
    key(
        "hints",
        Form::Table(HINTS),
        "What tools must say of themselves. One that says nothing may destroy things, is not read-only or idempotent, and reaches beyond the server's own world.",
    ),
];

pub(crate) const HINTS: &[Key] = &[
    key("read-only", Form::Boolean, "Whether it changes nothing."),
    key(
        "destructive",
        Form::Boolean,
        "Whether it may destroy something.",
    ),
    key(
        "idempotent",
        Form::Boolean,
        "Whether calling it twice changes no more than calling it once.",
    ),
    key(
        "open-world",
        Form::Boolean,
        "Whether it reaches beyond the server's own world, such as the web.",
    ),
];

pub(crate) const AUTH: &[Key] = &[
    key(
        "client-id",
        Form::Text,
        "The client that was registered with the server's sign-in beforehand.",
    ),
    key("client-secret", Form::Text, "Its secret."),
    key(
        "client-metadata",
        Form::Text,
        "The https:// address of a document about the client, which names it where sign-ins take such.",
    ),
    key(
        "scopes",
        Form::Texts,
        "What is asked for, where the server does not say it.",
    ),
    key(
        "private-key",
        Form::Text,
        "A file in PEM with the key that signs for the client, instead of a secret.",
    ),
    key(
        "grant",
        Form::Choice(&["authorization-code", "client-credentials"]),
        "Whether a person signs in, or a machine does. Default: `authorization-code`.",
    ),
    key(
        "callback-port",
        Form::Quantity,
        "The port on this machine that the sign-in comes back to.",
    ),
];

pub(crate) const TLS: &[Key] = &[
    key(
        "authority",
        Form::Text,
        "A file in PEM with certificates that are trusted beside the system's.",
    ),
    key(
        "certificate",
        Form::Text,
        "A file in PEM with the certificate that Ampoule shows.",
    ),
    key(
        "key",
        Form::Text,
        "A file in PEM with that certificate's key.",
    ),
];
