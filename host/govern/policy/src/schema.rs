//! Cedar's schema: which actions there are, in which groups, with what context. Made as JSON, never
//! as text.

use std::collections::BTreeSet;

use cedar_policy::Schema;
use serde_json::{Map, Value, json};

use crate::actions::{Action, Actions};
use crate::arguments::type_of;
use crate::cedar::{CLIENT, CedarError, GROUP, MODEL, ROLE, SERVER, USER, not_made};

/// The part of the schema that some policies are held against.
pub(crate) struct Part<'p> {
    /// The tools that they are about, by their places.
    pub(crate) tools: &'p [usize],
    /// The actions and groups that they name.
    pub(crate) named: BTreeSet<&'p str>,
    /// Whether they are about output to the model.
    pub(crate) model: bool,
}

/// A part of the schema for what can be done.
pub(crate) fn of(actions: &Actions, part: &Part<'_>) -> Result<Schema, CedarError> {
    let mut all = Map::new();
    // What nothing can be done with has no types.
    for id in part.named.iter().filter(|id| actions.is_known(id)) {
        all.insert((*id).to_owned(), json!({}));
    }
    for &place in part.tools {
        let action = actions.get(place);
        all.insert(action.id.clone(), tool(action, &part.named));
    }
    let model = match part.model {
        true => applied(CLIENT, json!({})),
        false => json!({}),
    };
    all.insert(MODEL.to_owned(), model);
    let schema = json!({"": {
        "entityTypes": {
            USER: {"memberOfTypes": [GROUP, ROLE]},
            GROUP: {},
            ROLE: {},
            SERVER: {},
            CLIENT: {},
        },
        "actions": all,
    }});
    Schema::from_json_value(schema).map_err(not_made)
}

fn tool(action: &Action, named: &BTreeSet<&str>) -> Value {
    let may_be = json!({"type": "Boolean", "required": false});
    let attributes = json!({
        "arguments": type_of(&action.arguments),
        "hints": {"type": "Record", "attributes": {
            "readOnly": may_be,
            "destructive": may_be,
            "idempotent": may_be,
            "openWorld": may_be,
        }},
    });
    let groups = action
        .groups
        .iter()
        .filter(|group| named.contains(&***group));
    let groups = groups.map(|group| json!({"id": group}));
    let mut tool = applied(SERVER, attributes);
    tool["memberOf"] = groups.collect();
    tool
}

fn applied(resource: &str, mut attributes: Value) -> Value {
    attributes["client"] = json!({"type": "String"});
    attributes["toolkit"] = json!({"type": "String"});
    attributes["labels"] = json!({"type": "Set", "element": {"type": "String"}});
    json!({"appliesTo": {
        "principalTypes": [USER],
        "resourceTypes": [resource],
        "context": {"type": "Record", "attributes": attributes},
    }})
}
