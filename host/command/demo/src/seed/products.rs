//! 40 products, eight of each category.

use chrono::NaiveDate;

use super::random::Random;
use crate::model::{Category, Dimensions, Product};

/// A product: name, list price in cents of EUR, and width, depth and height in millimetres.
type Row = (&'static str, u64, Option<(u32, u32, u32)>);

const DESKS: [Row; 8] = [
    ("Plank desk 120", 28_900, Some((1200, 700, 740))),
    ("Plank desk 160", 34_900, Some((1600, 800, 740))),
    ("Rise sit-stand desk 140", 62_900, Some((1400, 700, 1250))),
    ("Rise sit-stand desk 180", 74_900, Some((1800, 800, 1250))),
    ("Corner desk", 48_900, Some((1600, 1600, 740))),
    ("Folding desk", 18_900, Some((1000, 600, 740))),
    ("Meeting table for six", 89_000, Some((2200, 1000, 740))),
    ("Meeting table for twelve", 159_000, Some((4000, 1200, 740))),
];

const CHAIRS: [Row; 8] = [
    ("Reed task chair", 24_900, Some((650, 650, 1150))),
    ("Reed task chair with arms", 28_900, Some((680, 650, 1150))),
    ("Heron mesh chair", 44_900, Some((690, 680, 1250))),
    ("Heron executive chair", 68_900, Some((710, 700, 1300))),
    ("Stacking chair", 7_900, Some((520, 540, 810))),
    ("Bar stool", 12_900, Some((420, 420, 1020))),
    ("Lounge armchair", 57_900, Some((820, 850, 780))),
    ("Balance stool", 16_900, Some((380, 380, 650))),
];

const STORAGE: [Row; 8] = [
    ("Mobile pedestal", 19_900, Some((420, 570, 600))),
    ("Sideboard", 42_900, Some((1600, 450, 800))),
    ("Bookcase, three shelves", 17_900, Some((800, 350, 1150))),
    ("Bookcase, five shelves", 24_900, Some((800, 350, 1900))),
    ("Filing cabinet", 31_900, Some((470, 620, 1320))),
    ("Locker, four doors", 38_900, Some((800, 500, 1800))),
    ("Coat stand", 8_900, Some((400, 400, 1800))),
    ("Wall rail, one metre", 5_900, None),
];

const LIGHTING: [Row; 8] = [
    ("Arc desk lamp", 8_900, Some((180, 420, 480))),
    ("Arc floor lamp", 18_900, Some((300, 300, 1900))),
    ("Pendant, small", 9_900, Some((240, 240, 260))),
    ("Pendant, large", 16_900, Some((450, 450, 420))),
    ("Light strip, two metres", 4_900, None),
    ("Daylight panel", 22_900, Some((620, 620, 50))),
    ("Clip lamp", 3_900, Some((90, 120, 300))),
    ("Motion sensor", 2_900, None),
];

const ACCESSORIES: [Row; 8] = [
    ("Monitor arm", 11_900, None),
    ("Monitor arm, double", 18_900, None),
    ("Cable tray", 2_490, Some((800, 120, 90))),
    ("Desk pad, felt", 3_490, Some((900, 400, 4))),
    ("Whiteboard 120 by 90", 14_900, Some((1200, 20, 900))),
    ("Acoustic panel", 12_900, Some((1200, 40, 600))),
    ("Desk divider", 9_900, Some((1400, 30, 450))),
    ("Waste sorter", 6_900, Some((600, 300, 700))),
];

const CATALOGUE: [(Category, [Row; 8]); 5] = [
    (Category::Desks, DESKS),
    (Category::Chairs, CHAIRS),
    (Category::Storage, STORAGE),
    (Category::Lighting, LIGHTING),
    (Category::Accessories, ACCESSORIES),
];

/// The products that are no longer made, by name.
const DISCONTINUED: [(&str, NaiveDate); 2] = [
    (
        "Folding desk",
        NaiveDate::from_ymd_opt(2026, 8, 31).unwrap(),
    ),
    ("Clip lamp", NaiveDate::from_ymd_opt(2026, 9, 15).unwrap()),
];

/// All products, in ascending order of id.
pub(crate) fn products() -> Vec<Product> {
    let mut random = Random::new(0x9140D);
    let rows = CATALOGUE
        .iter()
        .flat_map(|(category, rows)| rows.iter().map(move |row| (*category, row)));
    (1..)
        .zip(rows)
        .map(|(number, (category, &(name, price, size)))| {
            let dimensions = size.map(|(width_mm, depth_mm, height_mm)| Dimensions {
                width_mm,
                depth_mm,
                height_mm,
            });
            product(number, category, name, price, dimensions, &mut random)
        })
        .collect()
}

fn product(
    number: usize,
    category: Category,
    name: &'static str,
    price_eur_cents: u64,
    dimensions: Option<Dimensions>,
    random: &mut Random,
) -> Product {
    let reorder_level = random.between(1, 8) * 5;
    let discontinued = DISCONTINUED.iter().find(|(it, _)| *it == name);
    Product {
        id: format!("PRD-{number:02}"),
        name: name.into(),
        category,
        price_eur_cents,
        stock: random.below(reorder_level * 6),
        reorder_level,
        dimensions,
        discontinued_on: discontinued.map(|(_, day)| *day),
    }
}
