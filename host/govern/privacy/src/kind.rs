//! Kinds of personal data, and what they are called.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A kind of personal data, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// The number of a payment card.
    Card,
    /// An international bank account number.
    Iban,
    /// A number that a country gives to a person.
    Id(Country),
    /// An IP address, but those that say "here" or "nowhere".
    Ip,
    /// A key, a token or a password; the service that it is of, `key` or `password`.
    Secret(&'static str),
    /// The name of a person, in a field for one.
    Name,
    /// A postal address, in a field for one.
    Address,
    /// What a pattern of the operator's finds: the pattern's name.
    Patterns(Arc<str>),
}

impl Kind {
    /// The names of the kinds that are built in, as settings and tokens have them.
    pub const BUILT_IN: [&'static str; 9] = [
        "address", "card", "email", "iban", "id", "ip", "name", "phone", "secret",
    ];

    /// Its name, as settings and tokens have it.
    pub fn name(&self) -> &str {
        match self {
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Card => "card",
            Self::Iban => "iban",
            Self::Id(_) => "id",
            Self::Ip => "ip",
            Self::Secret(_) => "secret",
            Self::Name => "name",
            Self::Address => "address",
            Self::Patterns(name) => name,
        }
    }
}

/// Its name, with the country or the service where that is known: `id of DE`, `secret of github`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(country) => write!(f, "id of {}", country.code()),
            Self::Secret(service) => write!(f, "secret of {service}"),
            kind => f.write_str(kind.name()),
        }
    }
}

/// A country whose numbers for persons are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Country {
    /// Brazil: CPF.
    Brazil,
    /// France: NIR.
    France,
    /// Germany: Steuerliche Identifikationsnummer.
    Germany,
    /// India: Aadhaar.
    India,
    /// Italy: codice fiscale.
    Italy,
    /// The Netherlands: BSN.
    Netherlands,
    /// Poland: PESEL.
    Poland,
    /// Portugal: NIF.
    Portugal,
    /// Spain: DNI and NIE.
    Spain,
    /// Sweden: personnummer.
    Sweden,
    /// Switzerland: AHV-Nummer.
    Switzerland,
    /// The United Kingdom: National Insurance number.
    UnitedKingdom,
    /// The United States: Social Security number.
    UnitedStates,
}

impl Country {
    /// Its code of two letters.
    pub fn code(self) -> &'static str {
        match self {
            Self::Brazil => "BR",
            Self::France => "FR",
            Self::Germany => "DE",
            Self::India => "IN",
            Self::Italy => "IT",
            Self::Netherlands => "NL",
            Self::Poland => "PL",
            Self::Portugal => "PT",
            Self::Spain => "ES",
            Self::Sweden => "SE",
            Self::Switzerland => "CH",
            Self::UnitedKingdom => "GB",
            Self::UnitedStates => "US",
        }
    }
}

/// How much was found, by kind; displays as `2 email, 1 card`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<Arc<str>, u64>);

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, kind: &str) {
        match self.0.get_mut(kind) {
            Some(count) => *count += 1,
            None => drop(self.0.insert(kind.into(), 1)),
        }
    }

    /// How many of a kind there were.
    pub fn of(&self, kind: &str) -> u64 {
        self.0.get(kind).copied().unwrap_or_default()
    }

    /// Whether there was nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of the kinds, each with how many of it there were.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(kind, count)| (&**kind, *count))
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (kind, count)) in self.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{count} {kind}")?;
        }
        Ok(())
    }
}
