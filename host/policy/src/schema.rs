//! Cedar's schema: which actions there are, in which groups, with what context. Made as JSON, never
//! as text.

use cedar_policy::Schema;
use serde_json::{Map, Value, json};

use crate::actions::{Action, Actions};
use crate::arguments::type_of;
use crate::cedar::{CLIENT, GROUP, MODEL, NotMade, ROLE, SERVER, USER, not_made};

/// The schema for what can be done.
pub(crate) fn of(actions: &Actions) -> Result<Schema, NotMade> {
    let mut all = Map::new();
    // What nothing can be done with has no types.
    for id in actions.groups().chain(actions.later_ones()) {
        all.insert(id.to_owned(), json!({}));
    }
    for action in actions.all() {
        all.insert(action.id.clone(), tool(action));
    }
    all.insert(MODEL.to_owned(), applied(CLIENT, json!({})));
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

fn tool(action: &Action) -> Value {
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
    let groups = action.groups.iter().map(|group| json!({"id": group}));
    let mut tool = applied(SERVER, attributes);
    tool["memberOf"] = groups.collect();
    tool
}

fn applied(resource: &str, mut attributes: Value) -> Value {
    attributes["client"] = json!({"type": "String"});
    attributes["labels"] = json!({"type": "Set", "element": {"type": "String"}});
    json!({"appliesTo": {
        "principalTypes": [USER],
        "resourceTypes": [resource],
        "context": {"type": "Record", "attributes": attributes},
    }})
}
