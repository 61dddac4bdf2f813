//! 120 customers in eight countries.

use std::collections::HashSet;

use chrono::{Days, NaiveDate};

use super::random::Random;
use crate::model::{Address, Contact, Currency, Customer, CustomerSummary, Segment};

const COUNT: usize = 120;

const NAMES: [&str; 30] = [
    "Alder",
    "Beacon",
    "Calder",
    "Dunmore",
    "Everly",
    "Fairway",
    "Granite",
    "Harbour",
    "Ivory",
    "Juniper",
    "Kestrel",
    "Larkspur",
    "Meridian",
    "Northgate",
    "Orchard",
    "Pinnacle",
    "Quarry",
    "Redwood",
    "Saffron",
    "Tamarind",
    "Umber",
    "Vantage",
    "Westbrook",
    "Yarrow",
    "Zephyr",
    "Cobalt",
    "Linden",
    "Marlow",
    "Sable",
    "Thistle",
];

const PUBLIC_BODIES: [&str; 5] = [
    "City Council",
    "Library",
    "Schools",
    "Hospital",
    "University",
];

const FIRMS: [&str; 9] = [
    "Analytics",
    "Architects",
    "Foods",
    "Insurance",
    "Legal",
    "Logistics",
    "Media",
    "Software",
    "Textiles",
];

const GIVEN_NAMES: [&str; 16] = [
    "Amara", "Bruno", "Chloe", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas",
    "Katrin", "Luca", "Mei", "Noor", "Oskar", "Priya",
];

const FAMILY_NAMES: [&str; 16] = [
    "Albrecht",
    "Bianchi",
    "Costa",
    "Dubois",
    "Eriksen",
    "Fischer",
    "Garcia",
    "Hansen",
    "Ivanova",
    "Jansen",
    "Khan",
    "Lindqvist",
    "Murphy",
    "Novak",
    "Okafor",
    "Patel",
];

const STREETS: [&str; 10] = [
    "Canal Street",
    "Church Road",
    "Garden Lane",
    "Harbour Quay",
    "High Street",
    "Market Square",
    "Mill Lane",
    "Park Avenue",
    "Station Road",
    "Victoria Street",
];

const NOTES: [&str; 4] = [
    "Wants deliveries before 8 in the morning.",
    "Asks for a quote before each order.",
    "Lift is small: desks in parts only.",
    "Prefers to be called, not written to.",
];

struct City {
    name: &'static str,
    region: Option<&'static str>,
    country: &'static str,
    currency: Currency,
    /// The part of its postal codes that all have.
    postal: &'static str,
}

const fn city(
    name: &'static str,
    region: Option<&'static str>,
    country: &'static str,
    currency: Currency,
    postal: &'static str,
) -> City {
    City {
        name,
        region,
        country,
        currency,
        postal,
    }
}

const CITIES: [City; 16] = [
    city("Berlin", None, "DE", Currency::Eur, "10"),
    city("Hamburg", None, "DE", Currency::Eur, "20"),
    city("Munich", Some("Bavaria"), "DE", Currency::Eur, "80"),
    city("Vienna", None, "AT", Currency::Eur, "10"),
    city("Graz", Some("Styria"), "AT", Currency::Eur, "80"),
    city("Paris", None, "FR", Currency::Eur, "75"),
    city("Lyon", None, "FR", Currency::Eur, "69"),
    city("Utrecht", None, "NL", Currency::Eur, "35"),
    city("Rotterdam", None, "NL", Currency::Eur, "30"),
    city("Porto", None, "PT", Currency::Eur, "40"),
    city("Dublin", None, "IE", Currency::Eur, "D0"),
    city("Leeds", None, "GB", Currency::Gbp, "LS"),
    city("Bristol", None, "GB", Currency::Gbp, "BS"),
    city("Boston", Some("Massachusetts"), "US", Currency::Usd, "02"),
    city("Portland", Some("Oregon"), "US", Currency::Usd, "97"),
    city("Austin", Some("Texas"), "US", Currency::Usd, "78"),
];

const FIRST_CUSTOMER_SINCE: NaiveDate = NaiveDate::from_ymd_opt(2018, 1, 1).unwrap();

/// All customers, in ascending order of id.
pub(crate) fn customers() -> Vec<Customer> {
    let mut random = Random::new(0xC057);
    let mut names = HashSet::new();
    (1..=COUNT)
        .map(|number| {
            let segment = segment(&mut random);
            let name = loop {
                let name = company(segment, &mut random);
                if names.insert(name.clone()) {
                    break name;
                }
            };
            customer(number, name, segment, &mut random)
        })
        .collect()
}

fn segment(random: &mut Random) -> Segment {
    match random.below(100) {
        0..12 => Segment::Enterprise,
        12..42 => Segment::MidMarket,
        42..86 => Segment::SmallBusiness,
        _ => Segment::PublicSector,
    }
}

fn company(segment: Segment, random: &mut Random) -> String {
    let kinds: &[_] = match segment {
        Segment::PublicSector => &PUBLIC_BODIES,
        _ => &FIRMS,
    };
    format!("{} {}", random.pick(&NAMES), random.pick(kinds))
}

fn customer(number: usize, name: String, segment: Segment, random: &mut Random) -> Customer {
    let city = random.pick(&CITIES);
    let address = address(city, random);
    let contact = contact(&name, random);
    let days = Days::new(random.below(2_700).into());
    Customer {
        summary: CustomerSummary {
            id: format!("CUS-{number:04}"),
            name,
            segment,
            country: address.country.clone(),
            currency: city.currency,
        },
        contact,
        billing_address: random.percent(20).then(|| self::address(city, random)),
        address,
        credit_limit_cents: match segment {
            Segment::Enterprise | Segment::PublicSector => None,
            Segment::MidMarket => Some(u64::from(random.between(20, 60)) * 100_000),
            Segment::SmallBusiness => Some(u64::from(random.between(2, 15)) * 100_000),
        },
        customer_since: FIRST_CUSTOMER_SINCE + days,
        note: random.percent(15).then(|| (*random.pick(&NOTES)).into()),
    }
}

fn contact(company: &str, random: &mut Random) -> Contact {
    let (given, family) = (random.pick(&GIVEN_NAMES), random.pick(&FAMILY_NAMES));
    let domain = company.to_lowercase().replace(' ', "-");
    Contact {
        name: format!("{given} {family}"),
        email: format!(
            "{}.{}@{domain}.example",
            given.to_lowercase(),
            family.to_lowercase()
        ),
        phone: random.percent(80).then(|| {
            // 555 01xx is the range that is given to nobody.
            format!("+1 555 01{:02}", random.below(100))
        }),
    }
}

fn address(city: &City, random: &mut Random) -> Address {
    Address {
        street: format!("{} {}", random.between(1, 180), random.pick(&STREETS)),
        postal_code: format!("{}{:03}", city.postal, random.below(1_000)),
        city: city.name.into(),
        region: city.region.map(Into::into),
        country: city.country.into(),
    }
}
