//! Which address, form and key, of what is configured and what is in the environment.

use serde::Serialize;
use url::Url;

/// The variable with the address of a model's endpoint.
const ADDRESS: &str = "AMPOULE_MODEL_URL";
/// The variable with its key.
const KEY: &str = "AMPOULE_MODEL_KEY";

/// The form of an endpoint's requests and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// OpenAI's chat completions, which most local servers have.
    #[serde(rename = "openai")]
    ChatCompletions,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Anthropic,
}

/// Where the model is, as a person says it.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The name of a form, or an address.
    pub endpoint: Option<String>,
    /// The model's name.
    pub model: Option<String>,
    /// The key, or a sealed reference to it. It is for the endpoint that is named beside it.
    pub key: Option<String>,
}

/// Why it is not known whom to ask.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AddressError(pub(super) String);

/// Whom to ask.
pub(super) struct Target {
    pub(super) form: Form,
    pub(super) address: Url,
    pub(super) model: String,
    pub(super) key: Option<String>,
}

impl Form {
    const ALL: [Self; 3] = [Self::ChatCompletions, Self::Responses, Self::Anthropic];

    /// The name that people use.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChatCompletions => "openai",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
        }
    }

    /// The company's own address.
    fn base(self) -> &'static str {
        match self {
            Self::ChatCompletions | Self::Responses => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
        }
    }

    /// The end of an address of this form.
    fn path(self) -> &'static str {
        match self {
            Self::ChatCompletions => "/chat/completions",
            Self::Responses => "/responses",
            Self::Anthropic => "/messages",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }

    /// The form of an address, as far as it says that; else the most usual one.
    fn of(address: &Url) -> Self {
        let path = address.path().trim_end_matches('/');
        let ends = |form: &Self| path.ends_with(form.path());
        let said = Self::ALL.into_iter().find(ends);
        said.unwrap_or_else(|| match address.host_str() {
            Some("api.anthropic.com") => Self::Anthropic,
            Some("api.openai.com") => Self::Responses,
            _ => Self::ChatCompletions,
        })
    }

    /// The whole address, of one that may be its beginning.
    fn completed(self, mut address: Url) -> Url {
        let path = address.path().trim_end_matches('/').to_owned();
        if path.ends_with(self.path()) {
            return address;
        }
        let version = match self {
            Self::Anthropic if !path.ends_with("/v1") => "/v1",
            Self::ChatCompletions | Self::Responses if path.is_empty() => "/v1",
            _ => "",
        };
        address.set_path(&format!("{path}{version}{}", self.path()));
        address
    }
}

impl Choice {
    /// Whom to ask. `variable` reads the environment.
    pub(super) fn target(
        self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Target, AddressError> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let model = self.model.or_else(|| variable("AMPOULE_MODEL"));
        let model = model.filter(|model| !model.trim().is_empty()).ok_or_else(|| {
            AddressError("which model? Name one with --model, with `model` in [chat] of ampoule.toml, or in AMPOULE_MODEL".to_owned())
        })?;
        if self.key.is_some() && self.endpoint.is_none() {
            return Err(AddressError(
                "a key is for one endpoint alone: name the endpoint beside the key, with `endpoint` in [chat] of ampoule.toml".to_owned(),
            ));
        }
        let (form, address) = match self.endpoint.as_deref() {
            // The key is for the company whose form is named, and not for another address.
            Some(name) if !name.contains("://") && self.key.is_some() => {
                (Some(form_named(name)?), None)
            }
            Some(name) if !name.contains("://") => (Some(form_named(name)?), variable(ADDRESS)),
            Some(address) => (None, Some(address.to_owned())),
            None => (None, variable(ADDRESS)),
        };
        let form = match (form, &address) {
            (None, None) => Some(form_by_keys(&model, &variable)?),
            (form, _) => form,
        };
        let address = match address {
            Some(address) => parsed(&address)?,
            None => parsed(form.unwrap_or(Form::ChatCompletions).base())?,
        };
        let form = form.unwrap_or_else(|| Form::of(&address));
        let address = form.completed(address);
        let key = self.key.or_else(|| variable(KEY));
        let key = key.or_else(|| variable(company_key(&address)?));
        if key.is_some() && address.scheme() == "http" && !is_this_machine(&address) {
            return Err(AddressError(format!(
                "a key would be sent to {} without encryption; use an address with https://",
                address.host_str().unwrap_or_default()
            )));
        }
        Ok(Target {
            form,
            address,
            model,
            key,
        })
    }
}

fn form_named(name: &str) -> Result<Form, AddressError> {
    Form::named(name).ok_or_else(|| {
        AddressError(format!(
            "`{}` is not an endpoint: name a form (openai, responses, anthropic) or an address such as http://127.0.0.1:11434/v1",
            ampoule_untrusted::text::one_line(name)
        ))
    })
}

/// Without an address, the company is asked whose model it is, or whose key there is.
fn form_by_keys(
    model: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Form, AddressError> {
    let has = |name: &str| variable(name).is_some();
    if model.starts_with("claude") {
        return Ok(Form::Anthropic);
    }
    match (has("OPENAI_API_KEY"), has("ANTHROPIC_API_KEY")) {
        (true, _) => Ok(Form::Responses),
        (false, true) => Ok(Form::Anthropic),
        (false, false) => Err(AddressError(
            "where is the model? Set AMPOULE_MODEL_URL or --endpoint to its address, such as http://127.0.0.1:11434/v1, or set OPENAI_API_KEY or ANTHROPIC_API_KEY".to_owned(),
        )),
    }
}

/// The variable with the key of a company. The key goes to that company alone.
fn company_key(address: &Url) -> Option<&'static str> {
    match address.host_str()? {
        "api.openai.com" => Some("OPENAI_API_KEY"),
        "api.anthropic.com" => Some("ANTHROPIC_API_KEY"),
        _ => None,
    }
}

fn parsed(address: &str) -> Result<Url, AddressError> {
    let url = Url::parse(address.trim()).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let url = url.filter(|url| url.username().is_empty() && url.password().is_none());
    // What is wrong with it may be a secret.
    url.ok_or_else(|| {
        AddressError("the endpoint's address is not valid: write it such as https://api.example.com/v1, without a user or password".to_owned())
    })
}

pub(super) fn is_this_machine(address: &Url) -> bool {
    match address.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
