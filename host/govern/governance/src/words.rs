//! What scripts read, with what can be done about it.

use ampoule_policy::Decision;
use ampoule_untrusted::text::one_line;

/// The ids of the policies that decide, as one text.
pub(crate) fn ids(decision: &Decision) -> String {
    let ids: Vec<&str> = decision.by.iter().map(|id| &**id).collect();
    ids.join(", ")
}

/// Why it was decided so.
pub(crate) fn reason(decision: &Decision) -> &str {
    decision.reason.as_deref().unwrap_or("a policy says so")
}

/// What a script learns of a call that policies deny.
pub(crate) fn denied(server: &str, tool: &str, decision: &Decision) -> String {
    let (server, tool) = (one_line(server), one_line(tool));
    // It may quote a name that a script made up.
    let reason = one_line(reason(decision));
    match decision.by.is_empty() {
        true => format!(
            "{server}.{tool} was not called: {reason}; the operator can permit it, with a role or a policy"
        ),
        false => format!(
            "{server}.{tool} was not called: {reason} (policy `{}`); the operator can allow it there",
            one_line(&ids(decision))
        ),
    }
}

/// What a script learns where somebody would have to allow a call, and nobody can be asked.
pub(crate) fn nobody(server: &str, tool: &str, decision: &Decision) -> String {
    format!(
        "a person must allow calls of {}.{} (policy `{}`), and people are not asked here: the operator can allow it in the policy, or set up [approvals] in ampoule.toml",
        one_line(server),
        one_line(tool),
        one_line(&ids(decision))
    )
}

/// The error where a plan is to be approved, and people are not asked.
pub(crate) const NO_PLAN: &str = "a person must approve what the run would do, and people are not asked here: run it without a preview, or set up [approvals] in ampoule.toml";

/// What a script learns of a call that is recorded for a plan, where nothing is known of what it
/// would have come to.
pub(crate) fn tried(server: &str, tool: &str) -> String {
    format!(
        "{}.{} was recorded for the plan and not called, and the tool gives no example of a result: do without one, or run this without a preview",
        one_line(server),
        one_line(tool)
    )
}
