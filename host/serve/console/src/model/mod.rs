//! What the console shows, as plain data: each answer of the API is one of these, and each page is
//! made of them.
//!
//! - `page`: part of a long list; `viewer`: the reader of an answer
//! - `runs`: runs, with their calls; `requests`: what people ask to be done with runs
//! - `schedules`: schedules and hooks
//! - `approvals`: calls that wait for a person
//! - `catalog`: servers, tools and toolkits
//! - `lasting`: sessions, files and skills
//! - `governance`: policies, the audit log, statistics, principals
//! - `configuration`: the configuration, with its sources
//!
//! Texts are as scripts, servers and people wrote them: a page must escape them, and must never take
//! them as markup. Times are RFC 3339 in UTC, such as `2026-11-30T10:00:00.000Z`.

mod approvals;
mod catalog;
mod configuration;
mod governance;
mod lasting;
mod page;
mod requests;
mod runs;
mod schedules;
mod viewer;

pub use approvals::{
    ApprovalAnswer, ApprovalCall, ApprovalDetail, ApprovalDone, ApprovalRow, ApprovalState,
    ShownArgument,
};
pub use catalog::{
    CallRequest, ServerDetail, ServerRow, ServerSignIn, SignInAddress, ToolDetail, ToolFilter,
    ToolRow, ToolkitRow,
};
pub use configuration::{Configuration, ConfigurationFile, ConfigurationKey, Reload};
pub use governance::{
    AuditFilter, AuditLine, ChainFinding, ChainReport, ConsideredPolicy, LabelOrigin, PolicyCase,
    PolicyOverview, PolicyProblem, PolicyResult, PrincipalRow, RoleRow, Statistics, StatisticsRow,
    TokenRow,
};
pub use lasting::{
    FileRow, SessionDetail, SessionHead, SessionRow, SessionVariable, SkillDetail, SkillFile,
    SkillFunction, SkillRow, SkillTest,
};
pub use page::{Page, PageQuery};
pub use requests::{
    ApproveRequest, ForkRequest, NewRun, NewSkill, ReplayRequest, RewindRequest, StartedRun,
    VersionRequest,
};
pub use runs::{
    CallRow, DecisionRow, Failure, FileChange, Place, ReplayResult, RunDetail, RunEvent, RunFilter,
    RunRow, SessionChange, Usage, VariableChange,
};
pub use schedules::{ScheduleKind, ScheduleRow};
pub use viewer::{Me, Viewer};
