//! Questions are kept, as long as there is room for them.

use std::collections::{HashMap, HashSet};

use crate::error::QuestionError;
use crate::file;
use crate::names::{Name, Part, check_run};
use crate::question::{ProposedCall, Question};
use crate::store::Store;

/// What never changes of a question.
#[derive(Debug)]
pub(crate) struct Asker {
    principal: Option<String>,
    expires_at: u64,
}

impl Store {
    /// Keeps a new question.
    pub(crate) fn put(&self, question: &Question) -> Result<Name, QuestionError> {
        check_run(&question.caller.run)?;
        // Until it is there: of many that come at once, each sees those before it.
        let mut askers = self.0.askers.lock();
        let names = self.names()?;
        let kept = names.iter().filter(|name| name.part == Part::Question);
        let (kept, limits) = (kept.count(), &self.0.limits);
        if kept >= limits.kept {
            return Err(QuestionError::Full(format!("{kept} are kept already")));
        }
        let principal = question.caller.principal.as_deref();
        let (open, theirs) = self.open_now(&names, &mut askers, principal);
        if open >= limits.open {
            return Err(QuestionError::Full(format!("{open} are open already")));
        }
        if theirs >= limits.principal {
            return Err(QuestionError::Full(format!(
                "{theirs} of the same principal are open already"
            )));
        }
        let name = Name::new(&question.caller.run, question.id, Part::Question);
        self.write(&name, question)?;
        Ok(name)
    }

    /// How many questions are open, and how many of them a principal's. Each is read once.
    fn open_now(
        &self,
        names: &[Name],
        askers: &mut HashMap<crate::QuestionId, Asker>,
        principal: Option<&str>,
    ) -> (usize, usize) {
        let of = |part: Part| names.iter().filter(move |name| name.part == part);
        let answered: HashSet<_> = of(Part::Answer).map(|name| name.id).collect();
        let asked: HashMap<_, _> = of(Part::Question)
            .filter(|name| !answered.contains(&name.id))
            .map(|name| (name.id, name))
            .collect();
        askers.retain(|id, _| asked.contains_key(id));
        let (mut open, mut theirs) = (0, 0);
        for (id, name) in asked {
            if !askers.contains_key(&id)
                && let Ok(question) = self.question(name)
            {
                let (principal, expires_at) = (question.caller.principal, question.expires_at);
                askers.insert(
                    id,
                    Asker {
                        principal,
                        expires_at,
                    },
                );
            }
            match askers.get(&id) {
                Some(asker) if self.now() >= asker.expires_at => {}
                Some(asker) => {
                    open += 1;
                    theirs += usize::from(asker.principal.as_deref() == principal);
                }
                // It can't be read: nobody's, but it takes its place.
                None => open += 1,
            }
        }
        (open, theirs)
    }

    /// Adds calls to a question; none of them is covered by an answer to what it was. A call that is
    /// there already is not added again. None if one of them has the number of another call there:
    /// people choose calls by their numbers.
    pub(crate) fn extend(
        &self,
        name: &Name,
        calls: &[ProposedCall],
    ) -> Result<Option<Question>, QuestionError> {
        let mut question = self.question(name)?;
        for call in calls {
            let mut known = question.calls.iter();
            match known.find(|known| known.number == call.number) {
                None => question.calls.push(call.clone()),
                Some(known) if known.digest == call.digest => {}
                Some(_) => return Ok(None),
            }
        }
        self.write(name, &question)?;
        Ok(Some(question))
    }

    fn write(&self, name: &Name, question: &Question) -> Result<(), QuestionError> {
        let name = name.to_string();
        let content = file::written(&self.0.keys.files, &name, question)?;
        if content.len() as u64 > file::MOST_BYTES {
            return Err(QuestionError::Full("this question is too large".to_owned()));
        }
        let draft = self.0.folder.draft(&name, || ())?;
        draft.keep(&name, &content)?;
        Ok(self.0.folder.sync()?)
    }
}
