//! Skills on disk: code that scripts saved for later ones, with what is known of it.
//!
//! A skill has versions, each a file that appears whole and is not changed again. Whose it is, a
//! folder says: every principal has one, and what a person has approved is in one that all see.
//! Operators bring skills as folders, in the form of Agent Skills; all skills can be written so.
//!
//! - `skill`: one version; `name`: what skills may be called
//! - `store`: all of them; `shelf`: those of one principal, or of all, on a signed `list`;
//!   `visible_skills`: what somebody sees
//! - `folder`: a skill as a folder; `front_matter`: what is said at the top of its `SKILL.md`
//! - `mentions`: which skills some code may import
//! - `limits`: how many there may be, how large; `settings`: `[skills]`;
//!   `error`: why something can't be done
//!
//! Nothing here looks into code.

mod error;
mod folder;
mod front_matter;
mod limits;
mod list;
mod mentions;
mod name;
mod settings;
mod shelf;
mod skill;
mod store;
#[cfg(test)]
mod tests;
mod visible_skills;

pub use error::SkillError;
pub use folder::{read as read_folder, write as write_folder};
pub use limits::SkillLimits;
pub use mentions::{Mention, mentioned};
pub use name::SkillName;
pub use settings::SkillSettings;
pub use shelf::{Saver, Shelf};
pub use skill::{Answer, Approval, Draft, File, Function, Need, Skill};
pub use store::Store;
pub use visible_skills::{Origin, VisibleSkill, VisibleSkills};
