//! A server that is a process, in a client's file.

use std::ops::Range;

use super::super::super::tree::{Member, Node, Value, list, member};
use super::super::Quirk;
use super::line::{self, Line};
use super::{Draft, usual};

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
        let mut args: Option<(Range<usize>, Vec<Node>)> = None;
        match program.map(|program| (program, &program.value)) {
            Some((list_of_words, Value::List(words))) if !words.is_empty() => {
                self.text("command", &words[0]);
                let words = self.words(&words[1..]);
                args.get_or_insert((list_of_words.place.clone(), Vec::new()))
                    .1
                    .extend(words);
            }
            Some((program, Value::Text(text))) => {
                match line::command(text, self.folder, self.user) {
                    Line::Program => self.text("command", program),
                    Line::Words(words) => {
                        let mut words = words
                            .iter()
                            .map(|word| Node::text(program.place.clone(), word));
                        if let Some(program) = words.next() {
                            self.text("command", &program);
                        }
                        let words: Vec<Node> = words.map(|word| self.ours(&word)).collect();
                        args.get_or_insert((program.place.clone(), Vec::new()))
                            .1
                            .extend(words);
                    }
                    Line::Unclear(why) => {
                        self.wrong.push((program.place.clone(), why));
                        self.text("command", program);
                    }
                }
            }
            Some((program, _)) => self.text("command", program),
            None => {}
        }
        if let Some(more) = holder.get("args") {
            let words = match &more.value {
                Value::List(words) => Some(self.words(words)),
                Value::Text(text) => match line::arguments(text) {
                    Line::Words(words) => {
                        let words = words
                            .iter()
                            .map(|word| Node::text(more.place.clone(), word));
                        Some(words.map(|word| self.ours(&word)).collect())
                    }
                    Line::Unclear(why) => {
                        self.wrong.push((more.place.clone(), why));
                        None
                    }
                    Line::Program => None,
                },
                _ => None,
            };
            match words {
                Some(words) => {
                    args.get_or_insert((more.place.clone(), Vec::new()))
                        .1
                        .extend(words);
                }
                None => self.push("args", more.clone()),
            }
        }
        if let Some((place, words)) = args {
            self.push("args", list(place, words));
        }
        let mut env = Vec::new();
        let table = ["env", "environment", "envs"]
            .iter()
            .find_map(|key| holder.get(key));
        if let Some(table) = table {
            match table.value {
                Value::Table(_) => self.texts_of("env", table, &mut env),
                Value::List(_) if usual::pairs(table).is_some() => {
                    self.texts_of("env", table, &mut env);
                }
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

    /// The arguments of a list.
    fn words(&mut self, words: &[Node]) -> Vec<Node> {
        let words = words.iter().enumerate();
        words
            .filter_map(|(place, word)| self.as_text(|| format!("`args[{place}]`"), word))
            .collect()
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
