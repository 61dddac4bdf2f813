//! Calls at once: a forecast for each kind of customer. Each takes the server two seconds, and so
//! do all of them together.

wit_bindgen::generate!({
    path: "wit",
    world: "program",
    generate_all,
    // What tools give can be written as JSON.
    additional_derives: [serde::Serialize],
});

use std::collections::BTreeMap;

use futures::future::try_join_all;
use mcp::demo::demo::{self, ForecastRevenueArgs, Segment};
use serde::Deserialize;

/// What `ampoule run --arguments` gives.
#[derive(Deserialize)]
struct Arguments {
    /// How many quarters to look ahead.
    quarters: i64,
}

struct Program;

export!(Program);

impl Guest for Program {
    async fn run(arguments: String) -> Result<String, String> {
        let Arguments { quarters } =
            serde_json::from_str(&arguments).map_err(|error| error.to_string())?;
        let segments = [
            Segment::Enterprise,
            Segment::MidMarket,
            Segment::SmallBusiness,
            Segment::PublicSector,
        ];
        let forecasts = segments.map(|segment| async move {
            let forecast = demo::forecast_revenue(ForecastRevenueArgs {
                quarters,
                segment: Some(Some(segment)),
            });
            let forecast = forecast.await.map_err(|error| error.message)?;
            let expected = forecast.forecast.iter();
            let expected: i64 = expected.map(|quarter| quarter.expected_eur_cents).sum();
            Ok::<_, String>((segment, expected))
        });
        let expected = try_join_all(forecasts).await?;
        let expected: BTreeMap<Segment, i64> = expected.into_iter().collect();
        serde_json::to_string(&expected).map_err(|error| error.to_string())
    }
}
