//! A server that is reached by HTTP, in a client's file.

use super::super::super::tree::{Member, Node, list, member};
use super::super::Quirk;
use super::Draft;

impl Draft<'_> {
    pub(super) fn remote(&mut self, url: &Node, kind: Option<&str>, default: &'static str) {
        let transport = match kind {
            Some("sse") => "sse",
            Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") => "http",
            _ => default,
        };
        self.text("url", url);
        self.push("transport", Node::text(url.place.clone(), transport));
        let mut headers = Vec::new();
        let key = match self.is_anybodys {
            true => "headers",
            false => self.client.dialect.headers,
        };
        if let Some(table) = self.entry.get(key) {
            self.texts_of("headers", table, &mut headers);
        }
        if self.client.dialect.quirk == Quirk::Codex {
            self.codex_headers(&mut headers);
        }
        if !headers.is_empty() {
            self.push_table("headers", url.place.clone(), headers);
        }
        // Claude Code's: a line for the shell.
        if let Some(helper) = self.entry.get("headersHelper") {
            let words = [
                Node::text(helper.place.clone(), "sh"),
                Node::text(helper.place.clone(), "-c"),
            ];
            let line = self.ours(helper);
            let words = words.into_iter().chain([line]).collect();
            self.push("headers-command", list(helper.place.clone(), words));
        }
    }

    /// Codex names variables instead of writing references, and ignores `headers`.
    fn codex_headers(&mut self, headers: &mut Vec<Member>) {
        if self.entry.get("headers").is_some() && !self.is_anybodys {
            self.notes.push(
                "Codex ignores `headers`, and so does Ampoule: the key is `http_headers`"
                    .to_owned(),
            );
        }
        if let Some(token) = self.entry.get("bearer_token") {
            let refused = "Codex refuses a token in its file; name the variable that has it: `bearer_token_env_var = \"NAME\"`";
            self.wrong.push((token.place.clone(), refused.to_owned()));
        }
        if let Some(variable) = self.entry.get("bearer_token_env_var")
            && let Some(name) = variable.as_text()
        {
            let reference = Node::text(variable.place.clone(), format!("Bearer ${{{name}}}"));
            headers.push(member("Authorization", variable.place.clone(), reference));
        }
        let from_variables = self
            .entry
            .get("env_http_headers")
            .map_or(&[][..], Node::members);
        for header in from_variables {
            if let Some(name) = header.node.as_text()
                && self.user.variable(name).is_some()
            {
                let reference = Node::text(header.node.place.clone(), format!("${{{name}}}"));
                headers.push(member(&header.name, header.place.clone(), reference));
            }
        }
    }

    /// What clients that sign in say of it, in whichever case.
    pub(super) fn sign_in(&mut self) {
        let Some(auth) = self.first(&["oauth", "auth"]) else {
            return self.top_level_scopes();
        };
        let mut members = Vec::new();
        for (ours, theirs) in [
            ("client-id", ["clientId", "client_id", "CLIENT_ID"]),
            (
                "client-secret",
                ["clientSecret", "client_secret", "CLIENT_SECRET"],
            ),
        ] {
            if let Some(value) = theirs.iter().find_map(|key| auth.get(key)) {
                let value = self.ours(value);
                members.push(member(ours, value.place.clone(), value));
            }
        }
        if let Some(scopes) = auth.get("scopes").or_else(|| auth.get("scope")) {
            members.push(member("scopes", scopes.place.clone(), scope_list(scopes)));
        }
        if !members.is_empty() && self.has("url") {
            self.push_table("auth", auth.place.clone(), members);
        }
    }

    /// Codex has them beside the address.
    fn top_level_scopes(&mut self) {
        if let Some(scopes) = self.entry.get("scopes")
            && self.has("url")
        {
            let members = vec![member("scopes", scopes.place.clone(), scope_list(scopes))];
            self.push_table("auth", scopes.place.clone(), members);
        }
    }
}

/// Scopes as a list, also where they are one text.
fn scope_list(scopes: &Node) -> Node {
    let Some(text) = scopes.as_text() else {
        return scopes.clone();
    };
    let words = text.split_whitespace();
    list(
        scopes.place.clone(),
        words
            .map(|word| Node::text(scopes.place.clone(), word))
            .collect(),
    )
}
