//! The command line of a chat, and how it ends.

use std::time::Duration;

use ampoule::Grant;
use ampoule_chat::agent::{Bounds, Ending};
use ampoule_chat::conversation::ConversationName;
use ampoule_limits::units;
use clap::Args;

use crate::exit::{self, Failure};
use crate::output::Output;
use crate::setup::Setup;
use crate::toolkit::ToolkitOption;

/// The options of a chat on the command line.
#[derive(Debug, Args)]
pub(super) struct ChatOptions {
    /// One task; then the command ends. Without it, standard input is the task unless it is a terminal.
    #[arg(short = 'p', long = "prompt", value_name = "TEXT")]
    pub(super) prompt: Option<String>,
    #[command(flatten)]
    pub(super) model: ModelOptions,
    /// Keeps the conversation, and the session of its scripts, under this name, and continues what is
    /// there. Default: a new one in a terminal, else none.
    #[arg(long, value_name = "NAME")]
    pub(super) session: Option<ConversationName>,
    #[command(flatten)]
    pub(super) bounds: BoundOptions,
    /// The tools that scripts may call: `server`, `server.tool` or `server.get_*`, separated by
    /// commas. Default: all.
    #[arg(long, value_name = "PATTERNS")]
    pub(super) tools: Option<Grant>,
    #[command(flatten)]
    pub(super) toolkit: ToolkitOption,
    #[command(flatten)]
    pub(super) output: Output,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// Which model is asked, and where.
#[derive(Debug, Clone, Args)]
pub(super) struct ModelOptions {
    /// The model's name. Default: `model` in `[chat]`, else AMPOULE_MODEL.
    #[arg(long, value_name = "NAME")]
    pub(super) model: Option<String>,
    /// Where it is: the address of an endpoint, or a form (`openai`, `responses`, `anthropic`). Default:
    /// `endpoint` in `[chat]`, else AMPOULE_MODEL_URL.
    #[arg(long, value_name = "URL")]
    pub(super) endpoint: Option<String>,
}

/// How much a task may take.
#[derive(Debug, Clone, Args)]
pub(super) struct BoundOptions {
    /// How many requests the model may get for a task, with those that are sent again. Default: 50.
    #[arg(long, value_name = "N")]
    pub(super) steps: Option<u32>,
    /// How many tokens a task may take, such as `200k`. Default: 2 million.
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    pub(super) tokens: Option<u64>,
    /// How long a task may take, such as `10m`. Default: an hour.
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration)]
    pub(super) time: Option<Duration>,
    /// How much a task may cost, by the prices in `[chat]`. Default: no bound.
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    pub(super) cost: Option<f64>,
}

impl BoundOptions {
    /// The bounds; a cost can't be bounded without prices.
    pub(super) fn bounds(&self, has_prices: bool) -> Result<Bounds, Failure> {
        if self.cost.is_some() && !has_prices {
            return Err(Failure::usage(
                "--cost needs prices: add `prices = { input = \"2.50\", output = \"10\" }` to [chat] of ampoule.toml",
            ));
        }
        let usual = Bounds::default();
        Ok(Bounds {
            steps: self.steps.unwrap_or(usual.steps),
            tokens: self.tokens.unwrap_or(usual.tokens),
            time: self.time.unwrap_or(usual.time),
            cost: self.cost,
        })
    }
}

fn amount(text: &str) -> Result<f64, String> {
    let amount = text.parse::<f64>().ok();
    let amount = amount.filter(|amount| amount.is_finite() && *amount > 0.0);
    amount.ok_or_else(|| "this is an amount of money above 0, such as 0.50".to_owned())
}

/// The exit code for the end of a task.
pub(super) fn code_of(ending: &Ending) -> u8 {
    match ending {
        Ending::Answered => 0,
        Ending::Refused | Ending::Failed(_) => exit::UNREACHABLE,
        Ending::Bound(_) | Ending::Cut => exit::LIMIT,
        Ending::Cancelled => exit::CANCELLED,
    }
}
