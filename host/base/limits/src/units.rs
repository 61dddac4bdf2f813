//! Durations, sizes and counts, as people write them in a configuration file or behind a flag.

use std::time::Duration;

use bytesize::ByteSize;

/// The longest duration that is read. Much longer ones can't be added to a clock's time.
const LONGEST: Duration = Duration::from_hours(365 * 24);

/// Reads a duration of at most a year: `30s`, `500ms`, `2m`, `1h 30m`; or whole seconds, `30`.
///
/// # Errors
///
/// A sentence that says how durations are written.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let duration = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => humantime::parse_duration(text)
            .map_err(|_| "this is not a duration; write it like `30s`, `500ms` or `2m`")?,
    };
    if duration > LONGEST {
        return Err("this is longer than a year".to_owned());
    }
    Ok(duration)
}

/// Reads a size in bytes: `64 MiB`, `1.5 GB`, `100k`; or a plain number, `65536`.
///
/// # Errors
///
/// A sentence that says how sizes are written.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    match text.replace('_', "").parse::<ByteSize>() {
        Ok(size) => Ok(size.as_u64()),
        Err(_) => Err("this is not a size; write it like `64 MiB`, `1.5 GB` or `65536`".to_owned()),
    }
}

/// Reads a number: `10000` or `10_000`.
///
/// # Errors
///
/// A sentence that says how numbers are written.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let text = text.trim();
    text.replace('_', "")
        .parse()
        .map_err(|_| "this is not a whole number; write it like `10000` or `10_000`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let cases = [
            ("30", 30_000),
            ("30s", 30_000),
            ("500ms", 500),
            (" 2m ", 120_000),
            ("1h 30m", 5_400_000),
            ("0", 0),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
        for text in ["", "s", "-1", "-1s", "30 parsecs", "99999999999999999999s"] {
            let expected = "this is not a duration; write it like `30s`, `500ms` or `2m`";
            assert_eq!(parse_duration(text), Err(expected.to_owned()), "{text}");
        }
        assert_eq!(parse_duration("365d"), Ok(LONGEST));
        for text in ["366d", "18446744073709551615"] {
            let expected = "this is longer than a year";
            assert_eq!(parse_duration(text), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn sizes() {
        let cases = [
            ("65536", 65536),
            ("64 MiB", 64 << 20),
            ("64MiB", 64 << 20),
            ("1.5 GB", 1_500_000_000),
            ("100k", 100_000),
            ("1_000", 1000),
        ];
        for (text, bytes) in cases {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "MiB", "-1", "-1 MiB", "64 apples", "NaN"] {
            let expected = "this is not a size; write it like `64 MiB`, `1.5 GB` or `65536`";
            assert_eq!(parse_bytes(text), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn counts() {
        assert_eq!(parse_count("20_000_000_000"), Ok(20_000_000_000));
        for text in ["", "-1", "1.5", "many", "99999999999999999999"] {
            let expected = "this is not a whole number; write it like `10000` or `10_000`";
            assert_eq!(parse_count(text), Err(expected.to_owned()), "{text}");
        }
    }
}
