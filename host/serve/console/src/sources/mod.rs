//! Where the console's answers come from: the runs of a server, the stores on disk, the settings.
//! Each file has the methods of [`Console`](crate::Console) about one subject.
//!
//! - `runs`: active, parked and recorded runs, as `rows`: `found` finds one, `detail` puts it together,
//!   `timeline` has its calls, `outcome` reads how it ended; `begin` starts one; `replay` replays a record; `live`: events as they happen
//! - `approvals`: questions to people, and answers
//! - `servers`, `tools`: the catalog
//! - `sessions`, `files`, `skills`: what outlives runs
//! - `policies`, `audit`, `statistics`: what governs, and what was recorded
//! - `settings`: the configuration, toolkits, principals: a `view` that the command has read
//! - `places`: all of that, as the command gives it
//! - `disclosure`: what policies withhold from a viewer
//! - `cursor`: part of a list; `shares`: how much each viewer may have open; `work`: work that blocks; `time`: times as texts

mod approvals;
mod audit;
mod begin;
mod cursor;
mod detail;
mod disclosure;
mod files;
mod found;
mod live;
mod outcome;
mod places;
mod policies;
mod replay;
mod rows;
mod runs;
mod servers;
mod sessions;
mod settings;
mod shares;
mod skills;
mod statistics;
mod time;
mod timeline;
mod tools;
mod view;
mod work;

pub use files::FileContent;
pub use live::RunEvents;
pub use places::{Answerers, Sources};
pub(crate) use shares::Shares;
pub use view::{SettingsSource, SettingsView};
