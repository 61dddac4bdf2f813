//! The form of `ampoule.toml`, and what must hold beyond it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use toml::Spanned;

use super::{ComponentsConfig, Config, ConfigError, LimitsConfig, ServerConfig, expand, units};
use crate::isolate::Limits;
use crate::projection::names::{canonical, near};
use crate::upstream::{ServerCommand, is_inherited};

/// The longest name that a server may have, in bytes.
const MAX_NAME_BYTES: usize = 64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[derive(Default)]
struct ConfigFile {
    #[serde(deserialize_with = "units::count")]
    isolates: Option<u64>,
    #[serde(deserialize_with = "units::duration")]
    slot_wait: Option<Duration>,
    servers: BTreeMap<Spanned<String>, Server>,
    limits: LimitsConfig,
    ceilings: LimitsConfig,
    components: Components,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Components {
    sent: bool,
    folder: Option<Spanned<Text>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Server {
    command: Spanned<Text>,
    #[serde(default)]
    args: Vec<Spanned<Text>>,
    #[serde(default)]
    env: BTreeMap<Spanned<String>, Spanned<Text>>,
    cwd: Option<Spanned<Text>>,
    #[serde(default, deserialize_with = "units::duration")]
    call_timeout: Option<Duration>,
    #[serde(default, deserialize_with = "units::duration")]
    start_timeout: Option<Duration>,
}

/// A string. Anything else is refused without being shown, as it may be a secret.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        fn refused<E: Error>() -> Result<Text, E> {
            Err(E::custom("this must be a string, in quotes"))
        }

        impl Visitor<'_> for TextVisitor {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, in quotes")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Text, E> {
                refused()
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Text, E> {
                refused()
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Text, E> {
                refused()
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Reads the text of `file`, whose paths are relative to `folder`.
pub(super) fn parse(
    file: &Path,
    folder: &Path,
    text: &str,
    environment: Environment<'_>,
) -> Result<Config, ConfigError> {
    let document: ConfigFile = toml::from_str(text).map_err(|error| syntax(file, text, error))?;
    let context = Context {
        file,
        folder,
        text,
        environment,
    };
    context.check_names(document.servers.keys())?;
    let mut servers = BTreeMap::new();
    for (name, server) in document.servers {
        let name = name.into_inner();
        let server = context.server(&name, server)?;
        servers.insert(name, server);
    }
    check_ceilings(file, &document.limits, &document.ceilings)?;
    let components = context.components(&document.components)?;
    Ok(Config {
        source: Some(file.to_owned()),
        isolates: document
            .isolates
            .map(|most| isolates(file, most))
            .transpose()?,
        slot_wait: document.slot_wait,
        servers,
        limits: document.limits,
        ceilings: document.ceilings,
        components,
    })
}

/// What the parser says, with near misses for unknown keys. It never quotes the file.
fn syntax(file: &Path, text: &str, mut error: toml::de::Error) -> ConfigError {
    let message = error.message().to_owned();
    let span = error.span();
    // Without the text, the error shows the path of keys that it came by.
    error.set_input(None);
    let shown = error.to_string();
    let key = shown
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("in `")?.strip_suffix('`'))
        .unwrap_or_default();
    let message = match unknown_key(&message) {
        Some(better) => better,
        None => match message.strip_prefix("missing field ") {
            Some(field) => format!("{field} is missing"),
            None => message,
        },
    };
    let error = ConfigError::new(file, message).key(key);
    match span {
        Some(span) => error.at(text, span),
        None => error,
    }
}

/// Rewords "unknown field `a`, expected one of `b`, `c`".
fn unknown_key(message: &str) -> Option<String> {
    let (name, expected) = message.strip_prefix("unknown field `")?.split_once('`')?;
    let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    Some(match near(name, known.iter().copied(), 1).first() {
        Some(near) => format!("there is no key `{name}`; did you mean `{near}`?"),
        None => format!("there is no key `{name}`; there are {}", known.join(", ")),
    })
}

struct Context<'a> {
    file: &'a Path,
    folder: &'a Path,
    text: &'a str,
    environment: Environment<'a>,
}

impl Context<'_> {
    fn check_names<'n>(
        &self,
        names: impl Iterator<Item = &'n Spanned<String>>,
    ) -> Result<(), ConfigError> {
        let mut seen: HashMap<String, &str> = HashMap::new();
        for spanned in names {
            let name = spanned.get_ref().as_str();
            let refuse = |message: String| {
                let error = ConfigError::new(self.file, message)
                    .key(format!("servers.{}", shown_key(name)));
                Err(error.at(self.text, spanned.span()))
            };
            if name.trim().is_empty() {
                return refuse("a server needs a name".to_owned());
            }
            if name.starts_with('$') {
                return refuse("names that begin with `$` are Ampoule's own".to_owned());
            }
            if name.contains(['.', ',', '*']) {
                return refuse(
                    "a name may not contain `.`, `,` or `*`: grants are written with them"
                        .to_owned(),
                );
            }
            if name.chars().any(char::is_control) {
                return refuse("a name may not contain control characters".to_owned());
            }
            if name.len() > MAX_NAME_BYTES {
                return refuse(format!("a name may have at most {MAX_NAME_BYTES} bytes"));
            }
            if let Some(other) = seen.insert(canonical(name), name) {
                return refuse(format!(
                    "it differs from `{other}` in case and punctuation alone, so scripts could mean either"
                ));
            }
        }
        Ok(())
    }

    fn server(&self, name: &str, server: Server) -> Result<ServerConfig, ConfigError> {
        let key = format!("servers.{}", shown_key(name));
        let program = self.text(&format!("{key}.command"), &server.command)?;
        if program.trim().is_empty() {
            let error =
                ConfigError::new(self.file, "the command is empty").key(format!("{key}.command"));
            return Err(error.at(self.text, server.command.span()));
        }
        let program = if program.contains('/') {
            self.folder.join(program)
        } else {
            PathBuf::from(program)
        };
        let mut command = ServerCommand::new(program);
        for (number, arg) in server.args.iter().enumerate() {
            let key = format!("{key}.args[{number}]");
            let arg = self.secret_text(&key, arg, &mut command.secrets)?;
            command.args.push(arg);
        }
        for (variable, value) in &server.env {
            let (name, key) = (
                variable.get_ref(),
                format!("{key}.env.{}", shown_key(variable.get_ref())),
            );
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(ConfigError::new(self.file, "this is no name of a variable")
                    .key(key)
                    .at(self.text, variable.span()));
            }
            let value = self.secret_text(&key, value, &mut command.secrets)?;
            command.env.insert(name.clone(), value);
        }
        if let Some(cwd) = &server.cwd {
            command.cwd = Some(self.folder.join(self.text(&format!("{key}.cwd"), cwd)?));
        }
        Ok(ServerConfig {
            command,
            call_timeout: server.call_timeout,
            start_timeout: server.start_timeout,
        })
    }

    fn components(&self, components: &Components) -> Result<ComponentsConfig, ConfigError> {
        let folder = components.folder.as_ref();
        let folder = folder.map(|folder| self.text("components.folder", folder));
        Ok(ComponentsConfig {
            sent: components.sent,
            folder: folder.transpose()?.map(|folder| self.folder.join(folder)),
        })
    }

    fn text(&self, key: &str, text: &Spanned<Text>) -> Result<String, ConfigError> {
        self.expand(key, text, self.environment)
    }

    /// A text whose variables may hold secrets: their values are noted.
    fn secret_text(
        &self,
        key: &str,
        text: &Spanned<Text>,
        secrets: &mut BTreeSet<String>,
    ) -> Result<String, ConfigError> {
        let secrets = RefCell::new(secrets);
        let noting = |name: &str| {
            let value = (self.environment)(name)?;
            if let Some(secret) = value.to_str().filter(|_| !is_inherited(name)) {
                secrets.borrow_mut().insert(secret.to_owned());
            }
            Some(value)
        };
        self.expand(key, text, &noting)
    }

    fn expand(
        &self,
        key: &str,
        text: &Spanned<Text>,
        environment: Environment<'_>,
    ) -> Result<String, ConfigError> {
        expand::expand(&text.get_ref().0, environment).map_err(|message| {
            ConfigError::new(self.file, message)
                .key(key)
                .at(self.text, text.span())
        })
    }
}

/// A key as it is written in the file.
fn shown_key(key: &str) -> String {
    let bare = !key.is_empty()
        && key
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_'));
    if bare {
        key.to_owned()
    } else {
        format!("{key:?}")
    }
}

fn isolates(file: &Path, most: u64) -> Result<NonZeroU32, ConfigError> {
    let most = u32::try_from(most).ok().and_then(NonZeroU32::new);
    most.ok_or_else(|| {
        let problem = format!("there can be 1 to {} isolates", u32::MAX);
        ConfigError::new(file, problem).key("isolates")
    })
}

/// A limit above its ceiling would never be reached. One that is not configured is lowered without a word.
fn check_ceilings(
    file: &Path,
    limits: &LimitsConfig,
    ceilings: &LimitsConfig,
) -> Result<(), ConfigError> {
    let ceilings = ceilings.over(Limits::default_ceilings());
    let limits = limits.over(Limits::default().lowered_to(&ceilings));
    for (of, values) in [("ceilings", &ceilings), ("limits", &limits)] {
        if let Some((limit, problem)) = values.problem() {
            return Err(ConfigError::new(file, problem).key(format!("{of}.{limit}")));
        }
    }
    let Some((limit, asked, ceiling)) = limits.above(&ceilings) else {
        return Ok(());
    };
    let unit = limit.unit();
    let problem = format!(
        "{asked} {unit} is above the ceiling of {ceiling} {unit}; raise `ceilings.{limit}` too, or ask for less"
    );
    Err(ConfigError::new(file, problem).key(format!("limits.{limit}")))
}
