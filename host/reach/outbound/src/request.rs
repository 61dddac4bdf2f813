//! What a script asks for.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Method};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::methods;
use crate::redirects::Redirect;
use crate::target::Target;
use crate::{OutboundOptions, headers};

/// A request that can be sent, if it is allowed.
#[derive(Debug, Clone)]
pub(crate) struct OutboundRequest {
    pub(crate) method: Method,
    pub(crate) target: Target,
    pub(crate) headers: HeaderMap,
    /// What only the origin may know that it is first sent to.
    pub(crate) confidential: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) redirect: Redirect,
}

/// What a script sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    url: String,
    method: Option<String>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body: Option<String>,
    base64: Option<String>,
    #[serde(default)]
    redirect: Redirect,
}

/// The schema of what a script sends.
pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "url": { "type": "string" },
            "method": { "type": "string", "description": "Default: GET" },
            "headers": {
                "type": "array",
                "items": { "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 },
                "description": "Pairs of a name and a value",
            },
            "body": { "type": "string", "description": "Text" },
            "base64": { "type": "string", "description": "The body, where it is not text" },
            "redirect": { "type": "string", "enum": ["follow", "manual", "error"], "description": "Default: follow" },
        },
        "required": ["url"],
        "additionalProperties": false,
    })
}

impl OutboundRequest {
    /// # Errors
    ///
    /// Why it can't be sent.
    pub(crate) fn of(
        arguments: Map<String, Value>,
        options: &OutboundOptions,
    ) -> Result<Self, String> {
        let arguments: Arguments = serde_json::from_value(Value::Object(arguments))
            .map_err(|error| ampoule_untrusted::text::one_line(&error.to_string()).into_owned())?;
        let body = match (arguments.body, arguments.base64) {
            (Some(_), Some(_)) => return Err("the request has both `body` and `base64`".to_owned()),
            (Some(text), None) => Bytes::from(text),
            (None, Some(text)) => {
                let bytes = STANDARD.decode(text);
                bytes
                    .map_err(|_| "`base64` is not base64".to_owned())?
                    .into()
            }
            (None, None) => Bytes::new(),
        };
        if body.len() as u64 > options.request_bytes {
            return Err(format!(
                "the request's body has {} bytes, and may have {}",
                body.len(),
                options.request_bytes
            ));
        }
        let method = methods::method(arguments.method.as_deref().unwrap_or("GET"))?;
        if !body.is_empty() && [Method::GET, Method::HEAD].contains(&method) {
            return Err(format!(
                "a {method} request has no body; send it with method \"POST\""
            ));
        }
        Ok(Self {
            method,
            target: Target::parse(&arguments.url)?,
            headers: headers::of_script(&arguments.headers)?,
            confidential: HeaderMap::new(),
            body,
            redirect: arguments.redirect,
        })
    }
}
