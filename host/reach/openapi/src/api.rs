//! An API whose document was read: its tools, and their schemas as they are asked for.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use ampoule_api::{DescribedApi, Source, line, transport};
use ampoule_outbound::{Methods, Requests, Rule, RuleError, Rules};
use ampoule_projection::{ObservedShape, SchemaSource, SchemaText, Tool};
use http::HeaderName;
use serde_json::{Value, json};
use url::Url;

use crate::document::Documents;
use crate::operations::{self, Operation};
use crate::options::ApiServer;
use crate::plan::{Plan, Setting};
use crate::security::{Credential, CredentialScheme, OperatorCredentials, Schemes};
use crate::server::{Base, is_inside};

/// How many problems are kept.
const MAX_PROBLEMS: usize = 100;

/// An API, and the way to it.
pub(crate) type Api = DescribedApi<ApiContent>;

/// What a document says, as tools and calls read it.
pub struct ApiContent {
    pub(crate) documents: Documents,
    schemes: Schemes,
    operations: Vec<Operation>,
    /// Of which of them the document says what they answer.
    answers: Vec<bool>,
    places: HashMap<String, usize>,
    plans: Vec<OnceLock<Result<Arc<Plan>, String>>>,
    base: Base,
    set: HashSet<HeaderName>,
    /// Whether requests say who asks, whatever an operation asks for.
    is_signed_in: bool,
}

impl ApiContent {
    /// # Errors
    ///
    /// Why the API can't be used, in words that follow its document.
    pub(crate) fn api(
        documents: Documents,
        mut problems: Vec<String>,
        server: &ApiServer,
    ) -> Result<Api, String> {
        let base = Base::of_server(server)?;
        let schemes = Schemes::of(&documents);
        schemes.check(&server.credentials)?;
        let (operations, left_out) = operations::all(&documents)?;
        problems.extend(left_out);
        let about = documents.at(0, "/info/title");
        let about = about.as_ref().and_then(Value::as_str).map(line);
        let set = server
            .headers
            .keys()
            .filter_map(|name| name.parse().ok())
            .collect();
        let mut described = Self {
            is_signed_in: server.is_signed_in() || !base.secrets().is_empty(),
            documents,
            schemes,
            operations: Vec::new(),
            answers: Vec::new(),
            places: HashMap::new(),
            plans: Vec::new(),
            base,
            set,
        };
        let origins = described.keep(operations, &mut problems);
        if described.documents.is_exhausted() {
            return Err("its parts refer to large parts too often to be read".to_owned());
        }
        let origins = origins?;
        problems.truncate(MAX_PROBLEMS);
        described.check_origins(&origins, server)?;
        let requests = described
            .requests(&origins, server)
            .map_err(|error| error.to_string())?;
        let described = Arc::new(described);
        Ok(Api {
            tools: Self::tools(&described),
            described,
            requests,
            problems: problems.into(),
            about,
            stale: None,
        })
    }

    /// Keeps the operations that can be called, and gives the addresses where.
    fn keep(
        &mut self,
        operations: Vec<Operation>,
        problems: &mut Vec<String>,
    ) -> Result<BTreeSet<Origin>, String> {
        let mut origins = BTreeSet::new();
        let (mut first, count) = (None, operations.len());
        for operation in operations {
            match Plan::of(&operation, &self.setting()) {
                Ok(plan) => {
                    origins.insert(Origin::of(&plan.base));
                    self.places
                        .insert(operation.name.clone(), self.operations.len());
                    self.answers.push(plan.results.is_known());
                    self.operations.push(operation);
                    self.plans.push(OnceLock::new());
                }
                Err(why) => {
                    let name = line(&operation.name);
                    problems.push(format!("`{name}` is left out: {why}"));
                    first.get_or_insert(why);
                }
            }
        }
        match (first, self.operations.is_empty()) {
            (Some(why), true) => Err(why),
            (None, true) => Err("it has no operations".to_owned()),
            _ => {
                tracing::debug!(
                    operations = count,
                    left_out = count - self.operations.len(),
                    "an API is described"
                );
                Ok(origins)
            }
        }
    }

    /// Whether the operator knows where requests go.
    fn check_origins(&self, origins: &BTreeSet<Origin>, server: &ApiServer) -> Result<(), String> {
        if self.base.configured().is_some() {
            return Ok(());
        }
        let document = match self.documents.source() {
            Source::Address(url) => Some(Origin::of(url)),
            Source::File(_) => None,
        };
        for origin in origins {
            let shown = line(&origin.text);
            if document.as_ref() == Some(origin) {
                continue;
            }
            if origin.is_inside {
                return Err(format!(
                    "it names the server {shown}, which is in a private network; if that is right, set `base-url`"
                ));
            }
            if document.is_some() && server.has_secrets() {
                return Err(format!(
                    "it names the server {shown}, and is at another address itself; credentials are sent only to where you say, so set `base-url`"
                ));
            }
        }
        Ok(())
    }

    fn requests(
        &self,
        origins: &BTreeSet<Origin>,
        server: &ApiServer,
    ) -> Result<Requests, RuleError> {
        let own = match self.documents.source() {
            Source::Address(url) => Some(Origin::of(url)),
            Source::File(_) => None,
        };
        let mut rules = Rules::default();
        for origin in origins {
            let rule = Rule::to([&origin.text])?.methods(Methods::all());
            let is_known = self.base.configured().is_some() || own.as_ref() == Some(origin);
            rules = rules.and(match is_known {
                true => rule.private(),
                false => rule,
            });
        }
        Ok(Requests::new(
            transport::elsewhere(rules, &server.tls)?,
            transport::options(&server.tls),
        ))
    }

    /// What is added to the requests of an operation. `is_signed`: somebody signs all requests.
    ///
    /// # Errors
    ///
    /// What the operator would have to give, in words that follow the operation's name.
    pub(crate) fn credential(
        &self,
        plan: &Plan,
        credentials: &BTreeMap<String, String>,
        is_signed: bool,
    ) -> Result<Credential, String> {
        let given = OperatorCredentials {
            credentials,
            headers: &self.set,
            is_signed_in: self.is_signed_in || is_signed,
        };
        self.schemes.choose(&plan.requirements, &given)
    }

    /// The schemes for which no credential is given.
    pub(crate) fn missing(&self, given: &BTreeMap<String, String>) -> Vec<CredentialScheme> {
        self.schemes.missing_ones(given)
    }

    fn setting(&self) -> Setting<'_> {
        Setting {
            documents: &self.documents,
            base: &self.base,
            set: &self.set,
        }
    }

    /// An operation by its tool's name, and how it is called.
    pub(crate) fn plan_of(&self, tool: &str) -> Option<(&Operation, Result<Arc<Plan>, String>)> {
        let place = *self.places.get(tool)?;
        Some((&self.operations[place], self.plan(place)))
    }

    fn plan(&self, place: usize) -> Result<Arc<Plan>, String> {
        let made = self.plans[place].get_or_init(|| {
            self.documents.make_room();
            Plan::of(&self.operations[place], &self.setting()).map(Arc::new)
        });
        made.clone()
    }

    fn tools(described: &Arc<Self>) -> Arc<[Tool]> {
        let tool = |(place, operation): (usize, &Operation)| {
            let is_known = described.answers[place];
            let made = |part| {
                SchemaText::made(Schema {
                    described: Arc::clone(described),
                    place,
                    part,
                })
            };
            Tool {
                name: operation.name.clone(),
                title: operation.title.clone(),
                description: Some(operation.description.clone()),
                input_schema: made(Part::Input),
                output_schema: is_known.then(|| made(Part::Output)),
                annotations: operation.hints(),
                ui: None,
                seen: ObservedShape::default(),
            }
        };
        described.operations.iter().enumerate().map(tool).collect()
    }
}

/// Where requests go.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Origin {
    text: String,
    is_inside: bool,
}

impl Origin {
    fn of(url: &Url) -> Self {
        Self {
            text: url.origin().ascii_serialization(),
            is_inside: is_inside(url),
        }
    }
}

/// A schema of an operation, made when somebody looks at it.
struct Schema {
    described: Arc<ApiContent>,
    place: usize,
    part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Input,
    Output,
}

impl Schema {
    /// What a plan gives. It is not kept: of many tools, few are called.
    fn with<T>(&self, give: impl FnOnce(&Plan, &Documents) -> T) -> Option<T> {
        let described = &self.described;
        described.documents.make_room();
        let plan = Plan::of(&described.operations[self.place], &described.setting()).ok()?;
        Some(give(&plan, &described.documents))
    }
}

impl SchemaSource for Schema {
    fn schema(&self) -> Value {
        let made = match self.part {
            Part::Input => self.with(Plan::input),
            Part::Output => self.with(Plan::output).flatten(),
        };
        made.unwrap_or_else(|| json!({}))
    }

    fn outline(&self) -> Value {
        match self.part {
            Part::Input => self.with(Plan::outline).unwrap_or_else(|| json!({})),
            Part::Output => self.schema(),
        }
    }
}
