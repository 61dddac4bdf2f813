//! Tests of skills: whether the code still loads, and the example still runs. No tool is called: calls of
//! the example get the answers that they got when the skill was saved.

use ampoule::{ExampleCalls, SkillName};

use super::begin::CLIENT;
use super::skills::readable;
use super::work::blocking;
use crate::model::{SkillTest, VersionRequest, Viewer};
use crate::{Console, ConsoleError};

impl Console {
    /// Tests a skill. Default: the version that scripts import.
    ///
    /// # Errors
    ///
    /// As for [`skill`](Self::skill).
    pub async fn test_skill(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        name: &str,
        request: VersionRequest,
    ) -> Result<SkillTest, ConsoleError> {
        let (runtime, owner) = self.skills_of(viewer, principal)?;
        let name = SkillName::new(name).map_err(|_| ConsoleError::NotFound("this skill"))?;
        let (source, reader, of) = (runtime.clone(), viewer.clone(), owner.clone());
        let version = request.version;
        let reading = move || readable(&source, &reader, of.as_ref(), &name, version);
        let (skill, _) = blocking(reading).await?;
        let grant = self.sources().server.grant().clone();
        let tools = runtime.tools_of(grant, owner.as_ref(), Some(CLIENT))?;
        let calls = ExampleCalls::Recorded;
        let tested = Box::pin(runtime.test_skill(&skill, owner.as_ref(), &tools, calls)).await;
        let problem = match tested {
            Ok(_) => None,
            Err(problem) if problem.is_request() => Some(problem.to_string()),
            Err(problem) => return Err(problem.into()),
        };
        Ok(SkillTest {
            version: skill.version,
            passed: problem.is_none(),
            has_example: skill.example.is_some(),
            problem,
            changes: runtime.skill_changes(&skill, &tools),
        })
    }
}
