//! A call: whose it is, what it may take, and what its tool answered.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::SystemTime;

use ampoule_effort::Effort;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::departure::Departure;
use crate::{CallState, Deadline, Principal, Respondent, Trace};

/// Tells runs apart, including those of other processes. Displays, and serialises, as
/// `9f2c4e81a0b7d365-17`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunId {
    process: u64,
    number: u64,
}

impl RunId {
    /// One that no other run has.
    #[expect(
        clippy::new_without_default,
        reason = "each value is different, which callers don't expect of a default"
    )]
    pub fn new() -> Self {
        static PROCESS: LazyLock<u64> = LazyLock::new(|| {
            // Where the system has no entropy, the clock tells processes apart.
            getrandom::u64().unwrap_or_else(|_| nanos_since_epoch())
        });
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        Self {
            process: *PROCESS,
            number: NUMBER.fetch_add(1, Relaxed),
        }
    }
}

impl RunId {
    /// Enough of it to find it in a log, or among one's own runs, for those who pay for each
    /// letter: the end of what it displays as, `d365-17`.
    pub fn short(self) -> String {
        format!("{:04x}-{}", self.process & 0xffff, self.number)
    }

    /// Whether this names it, in full or [in short](Self::short).
    pub fn is_meant_by(self, name: &str) -> bool {
        name == self.short() || name == self.to_string()
    }
}

impl FromStr for RunId {
    type Err = RunIdError;

    /// What it displays as.
    fn from_str(text: &str) -> Result<Self, RunIdError> {
        let (process, number) = text.split_once('-').ok_or(RunIdError)?;
        let id = Self {
            process: u64::from_str_radix(process, 16).map_err(|_| RunIdError)?,
            number: number.parse().map_err(|_| RunIdError)?,
        };
        // There is one way to write it.
        match id.to_string() == text {
            true => Ok(id),
            false => Err(RunIdError),
        }
    }
}

/// It is not the id of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not the id of a run; an id looks like `9f2c4e81a0b7d365-17`")]
pub struct RunIdError;

fn nanos_since_epoch() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}-{}", self.process, self.number)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One use of a tool by a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Call {
    /// Whose it is.
    pub run: RunId,
    /// Which of the run's calls it is, counted from 0: its place in the usage.
    pub number: u32,
    /// The binding's name.
    pub server: Arc<str>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// On whose behalf the run happens, if the caller that started it said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Principal>,
    /// When the run must be over, as far as was known when the call was made, in milliseconds since
    /// 1970 (UTC).
    #[serde(rename = "deadlineMs", serialize_with = "as_millis")]
    pub deadline: SystemTime,
}

fn as_millis<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let since = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    serializer.serialize_u64(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A call on its way, and what the run allows it. Clones are the same one.
#[derive(Debug, Clone)]
pub struct CallContext {
    way: Arc<OnItsWay>,
    trace: Option<Trace>,
    /// What pays for what is computed for it, if anything does.
    payer: Option<Effort>,
    /// What has to know when it leaves, if anything does.
    pub(crate) departure: Option<Arc<dyn Departure>>,
}

#[derive(Debug)]
struct OnItsWay {
    call: Call,
    result_bytes: u64,
    deadline: Deadline,
    respondent: Option<Arc<dyn Respondent>>,
    /// Whether it was handed to the binding, which does not keep it back.
    left: Arc<AtomicBool>,
    /// Whether its tool turned out to be one that may be called twice.
    repeatable: Arc<AtomicBool>,
    /// Whose account the server sees, once that is known.
    account: Arc<OnceLock<Account>>,
    /// What takes it back, once it is answered.
    undo: Arc<OnceLock<CallUndo>>,
}

/// Whose account a server sees at a call, where it is one that somebody signed in to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Account {
    /// That of the call's principal alone.
    Principal,
    /// One that all principals share.
    Shared,
}

impl Account {
    /// Its name: `principal`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Principal => "principal",
            Self::Shared => "shared",
        }
    }
}

/// What takes a call back that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallUndo {
    /// A call of this tool.
    Call {
        /// The server's name.
        server: Arc<str>,
        /// The tool's name, as the rule has it.
        tool: Arc<str>,
        /// Its arguments, an object as JSON.
        arguments: String,
    },
    /// Nothing does, for this reason.
    Impossible(String),
}

impl CallContext {
    /// What a run's call comes with. What its server asks is for the respondent, if there is one.
    pub fn new(
        call: Call,
        result_bytes: u64,
        deadline: Deadline,
        respondent: Option<Arc<dyn Respondent>>,
    ) -> Self {
        let way = OnItsWay {
            call,
            result_bytes,
            deadline,
            respondent,
            left: Arc::default(),
            repeatable: Arc::default(),
            account: Arc::default(),
            undo: Arc::default(),
        };
        Self {
            way: Arc::new(way),
            trace: None,
            payer: None,
            departure: None,
        }
    }

    /// The same call, where this effort pays for what is computed for it.
    #[must_use]
    #[doc(hidden)]
    pub fn paid_by(self, effort: Effort) -> Self {
        let payer = Some(effort);
        Self { payer, ..self }
    }

    /// Has the run pay for what was computed for the call, in units of fuel. A run that has less ends
    /// when it next asks the host for something.
    #[doc(hidden)]
    pub fn spend(&self, units: u64) {
        if let Some(payer) = &self.payer {
            // What is spent counts, whether or not there is so much.
            let _ = payer.spend(units);
        }
    }

    /// The same call, in another place of a distributed trace, or in none.
    #[must_use]
    pub fn traced(self, trace: Option<Trace>) -> Self {
        Self { trace, ..self }
    }

    /// Where it belongs in a distributed trace. A binding that reaches other systems passes it on.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// For a caller of a tool without a run, such as a test of a binding. Nobody answers what the
    /// server asks.
    pub fn without_a_run(server: &str, tool: &str, result_bytes: u64) -> Self {
        let deadline = Deadline::never();
        let call = Call {
            run: RunId::new(),
            number: 0,
            server: server.into(),
            tool: tool.into(),
            principal: None,
            deadline: deadline.time(),
        };
        Self::new(call, result_bytes, deadline, None)
    }

    /// The call.
    pub fn call(&self) -> &Call {
        &self.way.call
    }

    /// The size of the largest result that the run accepts, in bytes. A binding that reads from
    /// elsewhere does not have to read more.
    pub fn result_bytes(&self) -> u64 {
        self.way.result_bytes
    }

    /// When the run must be over. It can be paused while a person is asked.
    pub fn deadline(&self) -> &Deadline {
        &self.way.deadline
    }

    /// The respondent of the server's questions during the call (elicitation).
    pub fn respondent(&self) -> Option<&Arc<dyn Respondent>> {
        self.way.respondent.as_ref()
    }

    /// Notes that the call leaves, which it does when it is handed to its binding: from now on,
    /// what became of it may be unknown.
    pub fn leave(&self) {
        self.way.left.store(true, Relaxed);
    }

    /// Notes that the binding keeps the call back until it [leaves](Self::leave), such as while its
    /// server starts: the tool does not have it yet.
    pub fn keep_back(&self) {
        self.way.left.store(false, Relaxed);
    }

    /// The same call, of a tool that its server calls so: how it was called was a script's.
    #[must_use]
    #[doc(hidden)]
    pub fn of_tool(&self, tool: Arc<str>) -> Self {
        self.with(Call {
            tool,
            ..self.way.call.clone()
        })
    }

    /// The same call, as one of that run and with that number among its calls: the run whose call this
    /// one is made for.
    #[must_use]
    #[doc(hidden)]
    pub fn of_run(&self, run: RunId, number: u32) -> Self {
        self.with(Call {
            run,
            number,
            ..self.way.call.clone()
        })
    }

    /// The same on its way, under another name.
    fn with(&self, call: Call) -> Self {
        let way = &self.way;
        Self {
            way: Arc::new(OnItsWay {
                call,
                result_bytes: way.result_bytes,
                deadline: way.deadline.clone(),
                respondent: way.respondent.clone(),
                left: Arc::clone(&way.left),
                repeatable: Arc::clone(&way.repeatable),
                account: Arc::clone(&way.account),
                undo: Arc::clone(&way.undo),
            }),
            trace: self.trace.clone(),
            payer: self.payer.clone(),
            departure: self.departure.clone(),
        }
    }

    /// Notes that calling the tool twice does no more than calling it once, of a tool that was not known
    /// when the call was made.
    #[doc(hidden)]
    pub fn may_be_repeated(&self) {
        self.way.repeatable.store(true, Relaxed);
    }

    /// Whether that was noted.
    #[doc(hidden)]
    pub fn is_repeatable(&self) -> bool {
        self.way.repeatable.load(Relaxed)
    }

    /// Notes whose account the server sees. Who says so first is right: it is further out.
    pub fn uses(&self, account: Account) {
        let _ = self.way.account.set(account);
    }

    /// Whose account the server sees, if somebody signed in to it and the call got that far.
    pub fn account(&self) -> Option<Account> {
        self.way.account.get().copied()
    }

    /// Notes what takes the call back, which its tool has answered.
    pub(crate) fn is_taken_back_by(&self, undo: CallUndo) {
        let _ = self.way.undo.set(undo);
    }

    /// What takes the call back, if its tool has answered and there is such a thing.
    pub fn undo(&self) -> Option<&CallUndo> {
        self.way.undo.get()
    }

    /// What is known of a call that was given up on.
    pub fn state_if_given_up(&self) -> CallState {
        match self.way.left.load(Relaxed) {
            true => CallState::Unknown,
            false => CallState::NotSent,
        }
    }
}

impl Call {
    /// A call of a run.
    pub fn new(
        run: RunId,
        number: u32,
        server: &Arc<str>,
        tool: &Arc<str>,
        principal: Option<Principal>,
        deadline: SystemTime,
    ) -> Self {
        Self {
            run,
            number,
            server: Arc::clone(server),
            tool: Arc::clone(tool),
            principal,
            deadline,
        }
    }
}
