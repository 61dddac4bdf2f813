//! What searches give of skills.

use ampoule_persistence::skills::{Function, Origin, Skill, VisibleSkill};
use ampoule_projection::{Hints, Tool};
use ampoule_tools::search::Index;
use ampoule_tools::{Error, GrantedTools, Principal};
use tokio::task::spawn_blocking;

use super::server_name::SKILLS_SERVER;
use super::{examination, needs};
use crate::governed::Requester;
use crate::runtime::Runtime;

/// How many skills' functions are remembered that no script has saved.
const REMEMBERED: usize = 1_000;

/// A skill that was found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FoundSkill {
    /// The skill.
    pub skill: Skill,
    /// Where it is from.
    pub origin: Origin,
    /// What a script that imports it should know: tools that have changed since it was saved.
    pub notes: Vec<String>,
}

impl Runtime {
    /// The skills that match a query best, of all that a principal's scripts can import; all of
    /// them, without a query. What is said of their tools holds for a run with these.
    ///
    /// # Errors
    ///
    /// As for [`skills`](Self::skills).
    pub async fn find_skills(
        &self,
        query: &str,
        limit: usize,
        principal: Option<&Principal>,
        tools: &GrantedTools,
    ) -> Result<Vec<FoundSkill>, Error> {
        let (runtime, query) = (self.clone(), query.to_owned());
        let whose = principal.cloned();
        let search = move || {
            let all = runtime.visible_skills(whose.as_ref())?.all();
            Ok::<_, Error>(best(all, &query, limit))
        };
        let searched = spawn_blocking(search).await;
        let hits = searched.map_err(|error| Error::host("skills were not searched", error))??;
        let mut found = Vec::new();
        for VisibleSkill { mut skill, origin } in hits {
            let requester = Requester {
                principal,
                client: None,
                toolkit: tools.toolkit(),
            };
            if !self.may_show(skill.carried.as_ref(), requester) {
                continue;
            }
            let mut notes = needs::changes(&skill, tools);
            if origin == Origin::Operator && skill.language.is_some() {
                match self.functions_of(&skill, principal, tools).await {
                    Ok(functions) => skill.functions = functions,
                    Err(problem) => notes.push(problem),
                }
            }
            found.push(FoundSkill {
                skill,
                origin,
                notes,
            });
        }
        Ok(found)
    }

    /// What an operator's skill exports: found out once.
    async fn functions_of(
        &self,
        skill: &Skill,
        principal: Option<&Principal>,
        tools: &GrantedTools,
    ) -> Result<Vec<Function>, String> {
        let mut hash = blake3::Hasher::new();
        for file in &skill.files {
            hash.update(file.path.as_bytes()).update(b"\0");
            hash.update(file.text.as_bytes()).update(b"\0");
        }
        let (hash, remembered) = (hash.finalize(), self.remembered_skills());
        if let Some(known) = remembered.and_then(|known| known.lock().get(&hash).cloned()) {
            return known;
        }
        let found = examination::inspected(self, principal, tools, skill).await;
        if let Some(remembered) = remembered {
            let mut remembered = remembered.lock();
            if remembered.len() >= REMEMBERED {
                remembered.clear();
            }
            remembered.insert(hash, found.clone());
        }
        found
    }
}

/// Those that match best.
fn best(all: Vec<VisibleSkill>, query: &str, limit: usize) -> Vec<VisibleSkill> {
    let said: Vec<Tool> = all.iter().map(|seen| said(&seen.skill)).collect();
    let index = Index::new(said.iter().map(|tool| (SKILLS_SERVER, tool)));
    let hits = index.search(query, limit);
    hits.into_iter().map(|hit| all[hit.index].clone()).collect()
}

/// A skill as if it were a tool, to be found like one.
fn said(skill: &Skill) -> Tool {
    let mut description = skill.description.clone();
    for function in &skill.functions {
        description.push_str(&format!(" {} {}", function.name, function.about));
    }
    Tool {
        name: skill.name.to_string(),
        title: None,
        description: Some(description),
        input_schema: Default::default(),
        output_schema: None,
        annotations: Hints::default(),
        ui: None,
        seen: Default::default(),
    }
}
