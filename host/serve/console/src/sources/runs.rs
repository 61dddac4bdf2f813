//! Runs: the list, and one with everything that is known of it.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use ampoule_server::operator::client;
use serde_json::Value;

use super::detail::{Detail, of_record};
use super::find_run::{UNKNOWN, is_visible, is_whole, or_none, record, shelves};
use super::rows::{is_active, live_row, parked_row};
use super::run_list::RunList;
use super::timeline::{answer, withhold};
use super::work::blocking;
use super::{cursor, session_changes};
use crate::model::{CallRow, Page, PageQuery, Place, RunDetail, RunFilter, RunRow, Viewer};
use crate::{Console, ConsoleError};

impl Console {
    /// The runs that the viewer may see, the newest first.
    ///
    /// # Errors
    ///
    /// A folder can't be used, or the cursor is unknown.
    pub async fn runs(
        &self,
        viewer: &Viewer,
        filter: &RunFilter,
        wanted: &PageQuery,
    ) -> Result<Page<RunRow>, ConsoleError> {
        self.runs_since(viewer, Instant::now(), filter, wanted)
            .await
    }

    /// The same, as they were at this moment or later: live pages are shown one list.
    ///
    /// # Errors
    ///
    /// As for [`runs`](Self::runs).
    pub(crate) async fn runs_since(
        &self,
        viewer: &Viewer,
        since: Instant,
        filter: &RunFilter,
        wanted: &PageQuery,
    ) -> Result<Page<RunRow>, ConsoleError> {
        let make = || self.listed(viewer);
        let list = self.run_lists().since(viewer, since, make).await?;
        let search = filter.search.as_deref().unwrap_or_default().to_lowercase();
        let fits = |row: &&Arc<RunRow>| {
            viewer.may_see(row.principal.as_deref()) && fits(row, filter, &search)
        };
        let rows = list.rows.iter().filter(fits).collect();
        let name = |row: &&Arc<RunRow>| format!("{}\n{}", row.since, row.run);
        let read = |name: &str| {
            let (since, run) = name.split_once('\n')?;
            Some((Reverse(since.to_owned()), Reverse(run.to_owned())))
        };
        let key = |row: &&Arc<RunRow>| (Reverse(row.since.clone()), Reverse(row.run.clone()));
        let page = cursor::page(rows, wanted, key, name, read)?;
        Ok(Page {
            items: page
                .items
                .into_iter()
                .map(|row| RunRow::clone(row))
                .collect(),
            next: page.next,
            total: page.total,
            problems: list.problems.clone(),
        })
    }

    async fn listed(&self, viewer: &Viewer) -> Result<Arc<RunList>, ConsoleError> {
        let live = self.live_rows(viewer).await;
        let (runtime, of) = (self.sources().runtime().clone(), viewer.clone());
        let lists = self.record_lists().clone();
        blocking(move || {
            let mut problems = Vec::new();
            let mut rows = live;
            let known: HashSet<String> = rows.iter().map(|row| row.run.clone()).collect();
            let parked = match of.filter() {
                None => runtime.all_parked(),
                principal => runtime.parked(principal),
            };
            for parked in or_none(parked)?.unwrap_or_default() {
                match parked {
                    Ok(run) => rows.push(parked_row(&run)),
                    Err(problem) => problems.push(problem.to_string()),
                }
            }
            let mut recorded = Vec::new();
            for shelf in shelves(&runtime, &of)? {
                recorded.extend(lists.of(&shelf)?);
            }
            let mut rows = with_records(rows, recorded, &known);
            rows.sort_unstable_by(|one, other| {
                let by_time = other.since.cmp(&one.since);
                by_time.then_with(|| other.run.cmp(&one.run))
            });
            Ok(Arc::new(RunList { rows, problems }))
        })
        .await
    }

    /// The active runs of this process and, for operators, of this user's other processes.
    pub(super) async fn live_rows(&self, viewer: &Viewer) -> Vec<RunRow> {
        let mut live = self.sources().server.live_runs().rows();
        live.extend(client::rows(self.sources().others(viewer).await).await);
        live.retain(|row| viewer.may_see(row["principal"].as_str()));
        live.iter().map(live_row).collect()
    }

    /// A run, without the variables of its session that it changed.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`], also for a run of another principal.
    pub async fn run(&self, viewer: &Viewer, id: &str) -> Result<RunDetail, ConsoleError> {
        let found = self.sources().find_run(viewer, id).await?;
        let (runtime, audit) = (
            self.sources().runtime().clone(),
            self.sources().audit.clone(),
        );
        let of = viewer.clone();
        blocking(move || {
            let mut detail = Detail::of(found, &runtime, &of);
            if detail.run.row.place != Place::Record
                && let Some(record) = record(&runtime, &of, &detail.run.row.run)?
            {
                detail.add_record(&record, of_record(&record, &runtime, &of));
            }
            if let Some(folder) = audit {
                detail.add_audit(&folder, &of)?;
            }
            Ok(detail.done())
        })
        .await
    }

    /// A run, with the variables of its session that it changed.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    pub async fn run_with_variables(
        &self,
        viewer: &Viewer,
        id: &str,
    ) -> Result<RunDetail, ConsoleError> {
        let mut run = self.run(viewer, id).await?;
        if run.session.is_none() {
            return Ok(run);
        }
        let runtime = self.sources().runtime().clone();
        blocking(move || {
            session_changes::add(&mut run, &runtime);
            Ok(run)
        })
        .await
    }

    /// One call of a run, with its whole answer.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`]: the run has no record, or made no such call;
    /// [`ConsoleError::Withheld`]: policies withhold the arguments or the answer from the viewer.
    pub async fn call(
        &self,
        viewer: &Viewer,
        id: &str,
        number: u32,
    ) -> Result<CallRow, ConsoleError> {
        let detail = self.run(viewer, id).await?;
        let call = detail.calls.into_iter();
        let mut call = call
            .into_iter()
            .find(|call| call.call == u64::from(number))
            .ok_or(ConsoleError::NotFound("this call"))?;
        let (runtime, of, id) = (
            self.sources().runtime().clone(),
            viewer.clone(),
            id.to_owned(),
        );
        blocking(move || {
            if let Some(record) = record(&runtime, &of, &id)? {
                let disclosure = of_record(&record, &runtime, &of);
                answer(&mut call, record.answer(number));
                let recorded = record.calls().find(|it| it.call == number);
                if let Some(recorded) = recorded {
                    call.arguments = Some(Value::Object(recorded.arguments));
                }
                if !withhold(&mut call, disclosure) {
                    return Err(ConsoleError::Withheld);
                }
            }
            Ok(call)
        })
        .await
    }

    /// Cancels an active run. The row has its present state.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`]; [`ConsoleError::Conflict`] if no process has it.
    pub async fn cancel_run(&self, viewer: &Viewer, id: &str) -> Result<RunRow, ConsoleError> {
        if !is_whole(id) {
            return Err(UNKNOWN);
        }
        let sources = self.sources();
        let Some(shown) = sources.find_live(viewer, id).await else {
            sources.find_run(viewer, id).await?;
            return Err(ConsoleError::Conflict(
                "the run is not active, so it can't be cancelled".to_owned(),
            ));
        };
        if shown["pid"].is_null() {
            let row = sources.server.live_runs().cancel(id).ok_or(UNKNOWN)?;
            return Ok(live_row(&row));
        }
        let row = client::ask("cancel", id, sources.others(viewer).await).await;
        let row = row
            .filter(|row| is_visible(row, viewer, id))
            .ok_or(UNKNOWN)?;
        Ok(live_row(&row))
    }
}

/// A list with the rows of recorded runs, which says of others whether there is a record of them.
fn with_records(
    mut rows: Vec<RunRow>,
    records: Vec<Arc<RunRow>>,
    live: &HashSet<String>,
) -> Vec<Arc<RunRow>> {
    let places = rows.iter().enumerate();
    let places: HashMap<String, usize> = places.map(|(at, row)| (row.run.clone(), at)).collect();
    let mut others = Vec::with_capacity(records.len());
    for record in records {
        match places.get(&record.run) {
            Some(at) => {
                let row = &mut rows[*at];
                row.recorded = true;
                // The row of a process has no time that the run took.
                if !is_active(&row.state) {
                    row.wall_ms = row.wall_ms.or(record.wall_ms);
                }
            }
            None => others.push(record),
        }
    }
    // A run that a process has is parked, too, while it waits.
    let mut seen = HashSet::new();
    rows.retain(|row| {
        let is_first = seen.insert(row.run.clone());
        is_first && (row.place == Place::Live || !live.contains(&row.run))
    });
    let rows = rows.into_iter().map(Arc::new);
    rows.chain(others).collect()
}

/// Whether a row is wanted. `search`: the text of the filter, in lower case.
fn fits(row: &RunRow, filter: &RunFilter, search: &str) -> bool {
    let is = |wanted: &Option<String>, found: Option<&str>| {
        let wanted = wanted.as_deref().filter(|wanted| !wanted.is_empty());
        wanted.is_none_or(|wanted| found == Some(wanted))
    };
    let is_active = is_active(&row.state);
    let state = match filter.state.as_deref().unwrap_or_default() {
        "" => true,
        "waiting" => row.asks.is_some() || matches!(&*row.state, "parked" | "kept alive" | "left"),
        "ended" => !is_active,
        "running" => is_active,
        wanted => row.state == wanted,
    };
    let texts = [
        Some(&row.run),
        row.client.as_ref(),
        row.principal.as_ref(),
        row.toolkit.as_ref(),
        row.asks.as_ref(),
    ];
    let mut texts = texts.into_iter().flatten();
    let found = search.is_empty() || texts.any(|text| text.to_lowercase().contains(search));
    let principal = row
        .principal
        .as_deref()
        .unwrap_or(ampoule_governance::LOCAL);
    state
        && found
        && is(&filter.language, Some(&row.language))
        && is(&filter.principal, Some(principal))
}
