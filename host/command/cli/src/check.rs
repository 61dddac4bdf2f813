//! `ampoule check`: scripts compared with the tools, without running them.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ampoule::{
    Check as Checking, Component, Ending, Grant, Keep, Language, Outcome, Runtime, Script, Thrown,
};
use ampoule_untrusted::json;
use clap::Args;
use serde::Serialize;

use super::code::LanguageName;
use super::exit::{self, Failure};
use super::output::Output;
use super::run::granted;
use super::setup::{self, Cancellation, ConfiguredRuntime, Setup};
use super::streams;

const EXAMPLES: &str = "Examples:
  ampoule check report.ts
  ampoule check scripts/*.py --tools 'github,time.*'
  ampoule check report.ts --json | jq '.[].mistakes'";

/// Compares the calls in scripts with the tools, and runs nothing.
///
/// Each mistake has a line: file, line, column, and what is wrong. Only what a script's text proves
/// is a mistake: a tool that does not exist, a missing or unknown argument, a value of a wrong type
/// or outside of an enumeration, a property that an answer does not have. Code that does not parse
/// is a mistake, too. A server is started only if its list of tools is not known yet.
#[derive(Debug, Args)]
#[command(after_help = exit::CHECK_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::CHECK_HELP))]
pub(super) struct Check {
    /// The scripts; `-` reads one from standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The scripts' language. Default: taken from each file's name, else guessed from the code.
    #[arg(long, value_enum)]
    language: Option<LanguageName>,
    /// The tools that the scripts may call, as for `ampoule run`. Default: all.
    #[arg(long, value_name = "PATTERNS")]
    tools: Option<Grant>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

/// What was found in a file.
#[derive(Serialize)]
struct Findings<'a> {
    file: &'a str,
    language: &'static str,
    mistakes: Vec<Mistake>,
    #[serde(skip)]
    code: u8,
}

/// What is wrong in one place.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Mistake {
    /// Counted from 1; none where the place is not known.
    line: Option<u32>,
    /// Counted from 1, in characters.
    column: Option<u32>,
    message: String,
}

impl Check {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let ConfiguredRuntime {
            runtime, remarks, ..
        } = self.setup.configured()?;
        let stopping = Cancellation::default();
        let grant = self.tools.clone().unwrap_or_else(Grant::all);
        let checking = {
            let (runtime, stopping) = (runtime.clone(), stopping.clone());
            async move {
                granted(&runtime, grant.clone(), &remarks).await?;
                let mut all = Vec::new();
                for file in &self.files {
                    all.push(self.look_at(file, &runtime, &grant, &stopping).await?);
                }
                remarks.say_origin();
                Ok(self.report(&all))
            }
        };
        let ended = setup::until_stopped(runtime, stopping, checking).await;
        ended.unwrap_or_else(|stopped| Ok(stopped.into()))
    }

    async fn look_at<'a>(
        &self,
        file: &'a Path,
        runtime: &Runtime,
        grant: &Grant,
        stopping: &Cancellation,
    ) -> Result<Findings<'a>, Failure> {
        let script = self.script(file, runtime)?;
        let language = script.language().name();
        let isolate = runtime.isolate(script.check(Checking::Alone));
        let run = isolate.grant(grant.clone()).record(Keep::None);
        let run = run.start().await?;
        stopping.cancels(&run);
        let outcome = run.outcome().await?;
        Ok(Findings {
            file: file.to_str().unwrap_or("script"),
            language,
            code: exit::number_of(&outcome.ending),
            mistakes: mistakes(&outcome),
        })
    }

    fn script(&self, file: &Path, runtime: &Runtime) -> Result<Script, Failure> {
        let mut content = Vec::new();
        match file == Path::new("-") {
            true => io::stdin().read_to_end(&mut content).map(|_| ()),
            false => std::fs::read(file).map(|read| content = read),
        }
        .map_err(|error| Failure::usage(format!("{} can't be read: {error}", file.display())))?;
        if Component::is_wasm(&content) {
            return Err(Failure::usage(format!(
                "{} is a component: its imports are checked when it is built",
                file.display()
            )));
        }
        let named = self.language.map(Language::from);
        let named = named.or_else(|| Language::of_file(file));
        let language = named
            .unwrap_or_else(|| runtime.language_of(&String::from_utf8_lossy(&content), None, None));
        let script = Script::from_bytes(language, content)?;
        Ok(match file.file_name() {
            Some(name) => script.named(name.to_string_lossy()),
            None => script,
        })
    }

    /// Prints what was found, and says how the process ends: the highest code of all files.
    fn report(&self, all: &[Findings<'_>]) -> ExitCode {
        if self.output.as_json {
            // Texts and numbers alone can always be written.
            let text = serde_json::to_string(all).unwrap_or_default();
            streams::out().json(&json::indented(&text));
        } else {
            for Findings { file, mistakes, .. } in all {
                for mistake in mistakes {
                    streams::out().foreign_line(&mistake.in_file(file));
                }
            }
        }
        all.iter()
            .map(|findings| findings.code)
            .max()
            .unwrap_or(0)
            .into()
    }
}

impl Mistake {
    /// As compilers write it: `file:line:column: message`.
    fn in_file(&self, file: &str) -> String {
        let place = [self.line, self.column].into_iter().flatten();
        let place: String = place.map(|number| format!("{number}:")).collect();
        format!("{file}:{place} {}", self.message)
    }
}

/// What guests say after a script's mistakes, and before several.
const NOTHING_CALLED: &str = "\nNothing was called";
const SEVERAL: &str = " mistakes:\n";

/// The mistakes that ended a check; or what else ended it.
fn mistakes(outcome: &Outcome) -> Vec<Mistake> {
    match &outcome.ending {
        Ending::Returned(_) => Vec::new(),
        Ending::Threw(thrown) => listed(thrown),
        ended => vec![Mistake {
            line: None,
            column: None,
            message: ended.to_string(),
        }],
    }
}

/// The mistakes that an error's message lists; the error itself where it lists none.
fn listed(thrown: &Thrown) -> Vec<Mistake> {
    let message = &*thrown.message;
    let (message, _) = message.split_once(NOTHING_CALLED).unwrap_or((message, ""));
    let several = message.split_once(SEVERAL).map(|(_, several)| several);
    let mut mistakes: Vec<Mistake> = Vec::new();
    for line in several.into_iter().flat_map(str::lines) {
        match (Mistake::of_line(line), mistakes.last_mut()) {
            (Some(mistake), _) => mistakes.push(mistake),
            (None, Some(last)) => last.message += &format!("\n{line}"),
            (None, None) => {}
        }
    }
    if mistakes.is_empty() {
        let location = thrown.location.as_ref();
        mistakes.push(Mistake {
            line: location.map(|location| location.line),
            column: location.map(|location| location.column),
            message: format!("{}: {message}", thrown.name),
        });
    }
    mistakes
}

impl Mistake {
    /// The mistake of a line such as `line 3, column 7: ToolError: …`.
    fn of_line(line: &str) -> Option<Self> {
        let (place, message) = line.strip_prefix("line ")?.split_once(": ")?;
        let (line, column) = place.split_once(", column ")?;
        Some(Self {
            line: Some(line.parse().ok()?),
            column: Some(column.parse().ok()?),
            message: message.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use ampoule::Location;

    use super::*;

    #[test]
    fn an_error_lists_its_mistakes() {
        let thrown = |message: &str| Thrown {
            name: "ToolError".into(),
            message: message.into(),
            location: Some(Location {
                module: "a.ts".into(),
                line: 2,
                column: 7,
                text: String::new(),
            }),
            stack: String::new(),
            causes: Vec::new(),
        };
        let lines = |message: &str| -> Vec<String> {
            let mistakes = listed(&thrown(message)).into_iter();
            mistakes.map(|mistake| mistake.in_file("b/a.ts")).collect()
        };
        assert_eq!(
            lines("x is missing\nNothing was called: the script was checked before it ran."),
            ["b/a.ts:2:7: ToolError: x is missing"]
        );
        assert_eq!(
            lines(
                "The script has 2 mistakes:\nline 2, column 7: ToolError: x is missing\nline 5, column 12: ReferenceError: no a: b\nNothing was called: the script was checked before it ran."
            ),
            [
                "b/a.ts:2:7: ToolError: x is missing",
                "b/a.ts:5:12: ReferenceError: no a: b"
            ]
        );
        assert_eq!(lines("unexpected"), ["b/a.ts:2:7: ToolError: unexpected"]);
    }
}
