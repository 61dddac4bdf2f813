//! Some tools of one server, declared together: for models and people, and as files for compilers.

use std::borrow::Cow;
use std::sync::Arc;

use ampoule_projection::names::Names;
use ampoule_projection::typescript::{self, Namespace};
use ampoule_projection::{Detail, Idiom, Interface, python};

use super::catalog::ServerIdentifiers;
use super::resolved::ResolvedTool;

/// Tools of one server, and what it offers besides, as they are called in a language.
struct Together<'a> {
    server: &'a ServerIdentifiers,
    /// What scripts call it, if that is an account.
    account: Option<String>,
    interface: Interface,
    /// Those of all its tools: one is called the same whichever others are declared with it.
    names: Cow<'a, Names>,
}

impl<'a> Together<'a> {
    fn of(tools: &'a [ResolvedTool], idiom: Idiom) -> Option<Self> {
        let first = tools.first()?;
        let all = first.listing.names_as(idiom);
        let is_beside = |tool: &&ResolvedTool| !Arc::ptr_eq(&tool.listing, &first.listing);
        let beside: Vec<_> = tools.iter().filter(is_beside).collect();
        let names = match beside[..] {
            [] => Cow::Borrowed(all),
            _ => {
                let all = all.names().iter().zip(all.identifiers());
                let all = all.map(|(name, identifier)| (name.clone(), identifier.clone()));
                let beside = beside.into_iter().map(|tool| {
                    let identifier = tool.listing.identifier(tool.index, idiom);
                    (tool.name().to_string(), identifier.to_owned())
                });
                Cow::Owned(Names::given(all.chain(beside)))
            }
        };
        Some(Self {
            server: first.server_called(),
            account: first.account_called(idiom),
            interface: Interface::of(tools.iter().map(ResolvedTool::definition)),
            names,
        })
    }

    /// What is made of them as a namespace in TypeScript.
    fn in_typescript<T>(&self, make: impl FnOnce(Namespace<'_>) -> T) -> T {
        make(Namespace {
            identifier: &self.server.typescript,
            interface: &self.interface,
            names: &self.names,
        })
    }
}

impl ResolvedTool {
    /// The declarations of some tools of one server, and of what it offers besides, with the types
    /// that they share.
    pub fn declare_all(tools: &[Self], detail: Detail) -> String {
        let idiom = tools
            .first()
            .map_or_else(Idiom::default, |first| first.idiom);
        let Some(together) = Together::of(tools, idiom) else {
            return String::new();
        };
        match idiom {
            Idiom::TypeScript => {
                let account = together.account.as_ref();
                let account = account.map(|account| format!("// tools.{account}\n"));
                let declared =
                    together.in_typescript(|namespace| typescript::declare(&[namespace], detail));
                account.unwrap_or_default() + &declared
            }
            Idiom::Python => {
                let identifier = together.account.as_ref();
                let identifier = identifier.unwrap_or(&together.server.python);
                python::declare(identifier, &together.interface, &together.names, detail)
            }
        }
    }

    /// Some tools of one server as a part of the global `tools` in TypeScript, for compilers and
    /// editors.
    #[doc(hidden)]
    pub fn typescript_namespace(tools: &[Self]) -> String {
        let together = Together::of(tools, Idiom::TypeScript);
        together.map_or_else(String::new, |together| {
            together.in_typescript(|namespace| typescript::ambient(&namespace))
        })
    }

    /// The tool as a module in TypeScript. `call` takes its arguments and options.
    #[doc(hidden)]
    pub fn typescript_module(&self, call: &str) -> Option<typescript::Module> {
        Together::of(std::slice::from_ref(self), Idiom::TypeScript)?
            .in_typescript(|namespace| typescript::module(&namespace, call))
    }

    /// The stub of a module in Python with some tools of one server, and what it offers besides,
    /// with their documentation.
    #[doc(hidden)]
    pub fn python_module(tools: &[Self]) -> String {
        let together = Together::of(tools, Idiom::Python);
        together.map_or_else(String::new, |together| {
            python::stub(&together.interface, &together.names)
        })
    }

    /// The class in [`Self::python_account`].
    #[doc(hidden)]
    pub const PYTHON_ACCOUNT: &str = python::ACCOUNT;

    /// The stub of a module in Python for one account of a server: its tools, in a class.
    #[doc(hidden)]
    pub fn python_account(tools: &[Self]) -> String {
        let together = Together::of(tools, Idiom::Python);
        together.map_or_else(String::new, |together| {
            python::account(&together.interface, &together.names)
        })
    }
}
