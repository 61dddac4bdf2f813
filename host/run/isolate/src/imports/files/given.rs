//! The files that a run was given: asked of those that are there, and passed to a recorder; or told
//! again, as they were to the run that was recorded.

use ampoule_effort::{self as effort, Effort, EffortError};
use ampoule_workspace::{Code as FileCode, FileError, Files};

use super::{FileResult, OPERATION, Run, over};
use crate::files::{self, Answer, FileRequest, RunFiles, Spending};
use crate::fuel;

/// What the guest asks, told in full only where somebody hears of it.
pub(super) fn asked(
    store: &Run<'_>,
    what: &'static str,
    of: std::fmt::Arguments<'_>,
) -> FileRequest {
    let of = match store.data().files.are_heard() {
        true => of.to_string(),
        false => String::new(),
    };
    FileRequest { what, of }
}

/// What little there is to do is done here.
pub(super) async fn at_once<T: Answer + Clone>(
    store: &mut Run<'_>,
    asked: FileRequest,
    action: impl FnOnce(&Files) -> Result<T, FileError> + Send + 'static,
) -> FileResult<T> {
    done(store, OPERATION, asked, action).await
}

/// What may have to look at a whole folder, to copy a file, or to wait for another run's merge, is
/// done where nobody else waits.
pub(super) async fn elsewhere<T: Answer + Clone>(
    store: &mut Run<'_>,
    asked: FileRequest,
    action: impl FnOnce(&Files, &Spending<'_>) -> Result<T, FileError> + Send + 'static,
) -> FileResult<T> {
    fuel::pay(&mut *store, OPERATION)?;
    let (files, effort) = (store.data().files.clone(), store.data().effort.clone());
    let answer = match files {
        RunFiles::None => return Ok(Err(none())),
        RunFiles::Given(files, heard) => {
            let work = move |effort: &Effort| {
                let spending = Spending::of(effort);
                let answer = action(&files, &spending);
                let told = heard.is_some().then(|| spending.told(&answer));
                Ok((answer, heard.zip(told)))
            };
            let (answer, told) = effort
                .elsewhere(work)
                .await
                .map_err(|broken| over(store, broken))?;
            if let Some((heard, told)) = told {
                heard.heard(asked, told);
            }
            answer
        }
        RunFiles::Replayed(teller) => files::again(&*teller, &asked, &effort)?,
    };
    let answer = answered(store, answer)?;
    fuel::settle(store, 0).await?;
    Ok(answer)
}

/// Does what has a known price: here, if that is little.
pub(super) async fn done<T: Answer + Clone>(
    store: &mut Run<'_>,
    price: u64,
    asked: FileRequest,
    action: impl FnOnce(&Files) -> Result<T, FileError> + Send + 'static,
) -> FileResult<T> {
    fuel::pay(&mut *store, effort::REQUEST)?;
    let (files, effort) = (store.data().files.clone(), store.data().effort.clone());
    let answer = match files {
        RunFiles::None => return Ok(Err(none())),
        RunFiles::Given(files, heard) => {
            let work = move |_: &Effort| Ok(action(&files));
            let answer = effort
                .work(price, work)
                .await
                .map_err(|broken| over(store, broken))?;
            if let Some(heard) = heard {
                heard.heard(asked, Spending::of(&effort).told(&answer));
            }
            answer
        }
        RunFiles::Replayed(teller) => {
            effort.spend(price).map_err(|broken| over(store, broken))?;
            files::again(&*teller, &asked, &effort)?
        }
    };
    let answer = answered(store, answer)?;
    fuel::settle(store, 0).await?;
    Ok(answer)
}

fn answered<T>(store: &Run<'_>, answer: Result<T, FileError>) -> FileResult<T> {
    match answer {
        Err(refused) if refused.code == FileCode::BrokenOff => Err(over(store, EffortError)),
        answer => Ok(answer),
    }
}

/// The answer to a run that looks for what it was not given.
fn none() -> FileError {
    let advice = "this run has `/workspace` and `/tmp`, in memory, and no other folder";
    FileError {
        code: FileCode::NoEntry,
        advice: advice.to_owned(),
    }
}
