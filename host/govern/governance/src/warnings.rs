//! Warnings about the configuration, in the log.

/// How many of them are logged at once, each on a line of its own.
const MOST_LOGGED: usize = 5;

/// Logs the first of these warnings, and how many more there are.
pub(crate) fn log<'w>(warnings: impl Iterator<Item = &'w String>) {
    for line in lines(warnings) {
        tracing::warn!("{line}");
    }
}

fn lines<'w>(mut warnings: impl Iterator<Item = &'w String>) -> Vec<String> {
    let mut lines: Vec<String> = warnings.by_ref().take(MOST_LOGGED).cloned().collect();
    let more = warnings.count();
    if more > 0 {
        lines.push(format!("… and {more} more: `ampoule doctor` shows all"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_are_logged_and_the_others_are_counted() {
        let warnings: Vec<String> = (0..60).map(|number| number.to_string()).collect();
        let logged = |count: usize| lines(warnings[..count].iter());
        assert_eq!(logged(0), [""; 0]);
        assert_eq!(logged(5), ["0", "1", "2", "3", "4"]);
        let more = "… and 55 more: `ampoule doctor` shows all";
        assert_eq!(logged(60), ["0", "1", "2", "3", "4", more]);
    }
}
