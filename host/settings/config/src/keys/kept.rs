//! The keys of what outlives a run.

use super::{Form, Key, key};

/// Those of what is kept of runs.
pub(crate) const RECORDS: &[Key] = &[
    key(
        "keep",
        Form::Choice(&["all", "failures", "none"]),
        "Which runs leave one: `all`, `failures` (those that did not return), `none`. Default: `none`.",
    ),
    key(
        "age",
        Form::Quantity,
        "How long a record is kept. Default: `7d`.",
    ),
    key(
        "size",
        Form::Quantity,
        "How much the records of one principal may take; the oldest go first. Default: `1GiB`.",
    ),
    key(
        "each",
        Form::Quantity,
        "How large one record may be; a run that needs more leaves none. Default: `64MiB`.",
    ),
];

/// Those of runs that wait for long.
pub(crate) const RUNS: &[Key] = &[
    key(
        "park",
        Form::Boolean,
        "Whether scripts that wait for long are parked: kept on disk, without an isolate, until they go on. Default: true.",
    ),
    key(
        "park-after",
        Form::Quantity,
        "How long one waits until it is parked. At least `10ms`. Default: `10s`.",
    ),
    key(
        "parked",
        Form::Quantity,
        "How many may be parked. Default: 20000.",
    ),
    key(
        "parked-each",
        Form::Quantity,
        "How many of one principal. Default: 10000.",
    ),
    key(
        "parked-bytes",
        Form::Quantity,
        "How much one of them may take on disk. Default: `16 MiB`.",
    ),
    key(
        "parked-all-bytes",
        Form::Quantity,
        "How much all of them may take. Default: `4 GiB`.",
    ),
    key(
        "parked-age",
        Form::Quantity,
        "How long one is kept that no process goes on with, or whose end nobody asked for. Default: `7 days`.",
    ),
];

pub(crate) const SESSIONS: &[Key] = &[
    key(
        "folder",
        Form::Text,
        "Where they are. Default: `ampoule/sessions` in the user's folder of data.",
    ),
    key(
        "bytes",
        Form::Quantity,
        "How much what one run leaves may take. Default: `16MiB`.",
    ),
    key(
        "runs",
        Form::Quantity,
        "How many runs of a session are kept, to go back to. Default: 10.",
    ),
    key(
        "most",
        Form::Quantity,
        "How many sessions a principal may have; the oldest go. Default: 1000.",
    ),
    key(
        "age",
        Form::Quantity,
        "After how long without a run a session goes. Default: `30d`.",
    ),
];

pub(crate) const SKILLS: &[Key] = &[
    key(
        "folder",
        Form::Text,
        "Where those are that scripts save. Default: `ampoule/skills` in the user's folder of data.",
    ),
    key(
        "folders",
        Form::Texts,
        "Folders with skills of your own, each a folder with a `SKILL.md`.",
    ),
    key(
        "save",
        Form::Boolean,
        "Whether scripts may save some. Default: true.",
    ),
    key(
        "bytes",
        Form::Quantity,
        "How large a skill may be. Default: `256KiB`.",
    ),
    key(
        "most",
        Form::Quantity,
        "How many skills a principal may have. Default: 256.",
    ),
    key(
        "versions",
        Form::Quantity,
        "How many versions of each are kept; the oldest go. Default: 20.",
    ),
];

pub(crate) const WORKSPACE: &[Key] = &[
    key(
        "folder",
        Form::Text,
        "Where they are: in it, a folder for each principal. Default: `workspaces` in the user's folder of data.",
    ),
    key(
        "shared",
        Form::Boolean,
        "Whether all principals have the same files: then they lie in `folder` itself.",
    ),
    key(
        "bytes",
        Form::Quantity,
        "How much each workspace may hold, such as `1GiB`. Default: `256MiB`.",
    ),
    key(
        "files",
        Form::Quantity,
        "How many files and folders each may hold. Default: 10,000.",
    ),
];

/// Those of a folder.
pub(crate) const FOLDER: &[Key] = &[
    key("path", Form::Text, "Where it is."),
    key(
        "writable",
        Form::Boolean,
        "Whether runs may change what is in it. Default: they read it.",
    ),
];
