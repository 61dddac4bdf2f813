//! A server that is a process, in a client's file.

use super::super::super::tree::{Member, Node, Value};
use super::super::Quirk;
use super::{Draft, list, member};

/// The variables that Goose lets no extension have.
const REFUSED_BY_GOOSE: [&str; 31] = [
    "PATH",
    "PATHEXT",
    "SystemRoot",
    "windir",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_DEBUG",
    "LD_BIND_NOW",
    "LD_ASSUME_KERNEL",
    "DYLD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_FRAMEWORK_PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "NODE_OPTIONS",
    "RUBYOPT",
    "GEM_PATH",
    "GEM_HOME",
    "CLASSPATH",
    "GO111MODULE",
    "GOROOT",
    "APPINIT_DLLS",
    "SESSIONNAME",
    "ComSpec",
    "TEMP",
    "TMP",
    "LOCALAPPDATA",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
];

impl Draft<'_> {
    pub(super) fn process(&mut self) {
        // Zed had them in a table of their own once.
        let command = self.first(&["command", "cmd"]);
        let nested = command.filter(|command| matches!(command.value, Value::Table(_)));
        let holder = nested.unwrap_or(self.entry);
        let program = nested.map_or(command, |nested| nested.get("path"));
        match program.map(|program| (program, &program.value)) {
            Some((list_of_words, Value::List(words))) if !words.is_empty() => {
                self.text("command", &words[0]);
                let args = words[1..].iter().map(|word| self.ours(word)).collect();
                self.push("args", list(list_of_words.place.clone(), args));
            }
            Some((program, _)) => self.text("command", program),
            None => {}
        }
        if let Some(args) = holder.get("args") {
            let words = args.items().iter().map(|word| self.ours(word)).collect();
            let args = match args.value {
                Value::List(_) => list(args.place.clone(), words),
                _ => args.clone(),
            };
            self.push("args", args);
        }
        let mut env = Vec::new();
        let table = ["env", "environment", "envs"]
            .iter()
            .find_map(|key| holder.get(key));
        if let Some(table) = table {
            match table.value {
                Value::Table(_) => self.texts_of(table, &mut env),
                _ => self.push("env", table.clone()),
            }
        }
        self.named_variables(&mut env);
        if self.client.dialect.quirk == Quirk::Goose {
            self.refuse_as_goose(&mut env);
        }
        if !env.is_empty() {
            self.push_table("env", self.entry.place.clone(), env);
        }
        if let Some(file) = self.entry.get("envFile") {
            let said =
                "Ampoule does not read `envFile`; write the variables into `env`, as `${env:NAME}`";
            self.wrong.push((file.place.clone(), said.to_owned()));
        }
        if let Some(cwd) = holder.get("cwd") {
            self.text("cwd", cwd);
        }
    }

    /// Variables that are passed on by name: Codex's, and those that Goose has in its keyring.
    fn named_variables(&mut self, env: &mut Vec<Member>) {
        for (key, must_be_set) in [("env_vars", false), ("env_keys", true)] {
            let names = self.entry.get(key).map_or(&[][..], Node::items);
            for variable in names {
                let Some(name) = variable.as_text() else {
                    continue;
                };
                if self.user.variable(name).is_some() {
                    let reference = Node::text(variable.place.clone(), format!("${{{name}}}"));
                    env.push(member(name, variable.place.clone(), reference));
                } else if must_be_set {
                    let said = "Goose keeps this variable in its keyring, which Ampoule can't read; set it in the environment";
                    self.wrong.push((variable.place.clone(), said.to_owned()));
                }
            }
        }
    }

    fn refuse_as_goose(&mut self, env: &mut Vec<Member>) {
        env.retain(|variable| {
            let refused = REFUSED_BY_GOOSE
                .iter()
                .find(|refused| refused.eq_ignore_ascii_case(&variable.name));
            if let Some(refused) = refused {
                self.notes.push(format!(
                    "Goose refuses to set {refused} for a server, and so does Ampoule: it starts without"
                ));
            }
            refused.is_none()
        });
    }
}
