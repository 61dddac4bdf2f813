//! Questions to a person about calls, and their answers.
//!
//! A call that somebody must allow waits; its run's other calls go on. What was asked is what is
//! done: an answer is bound to a digest of what was shown and of the arguments, and is good once.
//! Questions and answers are signed files, so they outlive the process, and another process of the
//! same user can answer. Nothing here is reachable for a model: who answers holds the folder, an
//! address, a client's dialogue, or the operator's key.
//!
//! - `question`, `shown`: what is asked; `answer`: what is answered; `digest`: what binds them
//! - `store`, `kept`, `file`, `names`, `sweep`: how it is kept; `standing`: what is allowed beyond one call
//! - `asking`: calls that wait; `place`: where people are asked; `granted`: what came of it
//! - `text`, `dialogue`, `page`, `webhook`: the places; `seal`: what a client keeps meanwhile
//! - `plan`: all calls of a run that was only tried, approved as one; `sample`: what such a run's
//!   calls come to
//! - `settings`: what an operator chooses, as a table of the configuration
//! - `limits`, `keys`, `time`, `problem`

mod answer;
mod asking;
pub mod dialogue;
mod digest;
mod file;
mod granted;
mod id;
mod kept;
mod keys;
mod limits;
mod names;
mod page;
mod place;
mod plan;
mod problem;
mod question;
pub mod sample;
mod seal;
mod settings;
mod shown;
mod standing;
mod store;
mod sweep;
#[cfg(test)]
mod tests;
pub mod text;
mod time;
mod webhook;

pub use answer::{Answer, By, Given, How};
pub use asking::{Answered, Asking};
pub use digest::{Digest, NoDigest};
pub use granted::{Granted, NotGranted, Reach};
pub use id::QuestionId;
pub use limits::ApprovalLimits;
pub use page::Page;
pub use place::{CommandLine, Place};
pub use plan::{ApprovedPlan, Plan};
pub use problem::Problem;
pub use question::{Asked, Caller, Done, Kind, Question, Seen, Wanted};
pub use seal::Sealed;
pub use settings::{PageSetting, PlaceName, Settings, WebhookSettings};
pub use shown::{Form, Hidden, Hides, ShownArgument};
pub use standing::Standing;
pub use store::{Listed, State, Store};
pub use webhook::{Delivery, NoSecret, Post, Secret, Webhook};
