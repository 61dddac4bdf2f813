//! Questions to a person about calls, and their answers.
//!
//! A call that somebody must allow waits; its run's other calls continue. What was asked is what is
//! done: an answer is bound to a digest of what was shown and of the arguments, and is good once.
//! Questions and answers are signed files, so they outlive the process, and another process of the
//! same user can answer. Nothing here is reachable for a model: a person a person who answers holds
//! the folder, an address, a client's dialogue, or the operator's key.
//!
//! - `question`, `arguments`: what is asked, by its `id`; `answer`: what is answered; `digest`: what binds them
//! - `store`, `persistence`, `file`, `names`, `sweep`: how it is kept; `standing`: what is allowed beyond one call
//! - `approvals`: calls that wait; `channel`: where people are asked; `approval`: what came of it
//! - `text`, `dialogue`, `page`, `webhook`: the channels; `seal`: what a client keeps meanwhile
//! - `plan`: all calls of a run that was only tried, approved as one; `sample`: what such a run's
//!   calls come to
//! - `settings`: what an operator chooses, as a table of the configuration
//! - `limits`, `keys`, `time`, `error`

mod answer;
mod approval;
mod approvals;
mod arguments;
mod channel;
pub mod dialogue;
mod digest;
mod error;
mod file;
mod id;
mod keys;
mod limits;
mod names;
mod page;
mod persistence;
mod plan;
mod question;
pub mod sample;
mod seal;
mod settings;
mod standing;
mod store;
mod sweep;
#[cfg(test)]
mod tests;
pub mod text;
mod time;
mod webhook;

pub use answer::{Answer, AnswerRecord, AnswerSource, Answerer, PersonAnswer};
pub use approval::{Approval, ApprovalError, Reach};
pub use approvals::{AnswerNotice, Approvals};
pub use arguments::{Form, Hidden, HideRule, ShownArgument};
pub use channel::{Channel, CommandLine};
pub use digest::{Digest, DigestError};
pub use error::QuestionError;
pub use id::QuestionId;
pub use limits::ApprovalLimits;
pub use page::Page;
pub use plan::{ApprovedPlan, Plan};
pub use question::{CallRequest, Caller, Kind, ProposedCall, Question, QuestionView, ToolActivity};
pub use seal::SealedQuestion;
pub use settings::{PageSetting, PlaceName, Settings, WebhookSettings};
pub use standing::Standing;
pub use store::{QuestionEntry, State, Store};
pub use webhook::{Delivery, Post, Secret, SecretError, Webhook};
