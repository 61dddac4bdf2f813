//! Where the console's answers come from: the runs of a server, the stores on disk, the settings.
//! Each file has the methods of [`Console`](crate::Console) about one subject.
//!
//! - `runs`: active, parked and recorded runs, as `rows`, a whole `run_list`: `find_run` finds one, `detail` puts it together,
//!   `timeline` has its calls, `outcome` reads how it ended; `file_changes`, `session_changes`: what it changed; `begin` starts one; `replay` replays a record; `live`: events as they happen
//! - `schedules`: what a clock or a message starts
//! - `approvals`: questions to people, and answers
//! - `servers`, `tools`: the catalog; `sign_ins`: sign-ins to servers, which a `sign_in_source` keeps
//! - `sessions`, `files`, `skills`: what outlives runs; `skill_code`: from a script to a skill;
//!   `skill_test`: whether a skill still works
//! - `policies`, `audit`, `statistics`: what governs, and what was recorded
//! - `settings`: the configuration, toolkits, principals: a `view` that the command has read
//! - `places`: all of that, as the command gives it
//! - `disclosure`: what policies withhold from a viewer
//! - `fingerprint`: whether lists have changed; `shared`: what is made once for all who are shown the
//!   same; `record_lists`: records, each read once
//! - `bounded_buffer`: bytes up to a limit
//! - `cursor`: part of a list; `shares`: how much each viewer may have open; `work`: work that blocks; `time`: times as texts

mod approvals;
mod audit;
mod begin;
mod bounded_buffer;
mod cursor;
mod detail;
mod disclosure;
mod file_changes;
mod files;
mod find_run;
mod fingerprint;
mod live;
mod outcome;
mod places;
mod policies;
mod record_lists;
mod replay;
mod rows;
mod run_list;
mod runs;
mod schedules;
mod servers;
mod session_changes;
mod sessions;
mod settings;
mod shared;
mod shares;
mod sign_in_source;
mod sign_ins;
mod skill_code;
mod skill_test;
mod skills;
mod statistics;
mod time;
mod timeline;
mod tools;
mod view;
mod work;

pub(crate) use files::FileBeginning;
pub use files::FileContent;
pub(crate) use fingerprint::Fingerprints;
pub use live::RunEvents;
pub use places::{Answerers, Sources};
pub(crate) use record_lists::RecordLists;
pub(crate) use run_list::RunList;
pub(crate) use shared::Shared;
pub(crate) use shares::{Share, Shares};
pub use sign_in_source::{FoundSignIn, SignInOwner, SignInSource};
pub use view::{SettingsSource, SettingsView};
