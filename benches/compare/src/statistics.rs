//! Medians, percentiles and ratios.

/// The value below which this part of all lies, of values that are there.
pub(crate) fn percentile(values: &[f64], percent: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    sorted
        .get((sorted.len() * percent / 100).min(last))
        .copied()
}

pub(crate) fn median(values: &[f64]) -> Option<f64> {
    percentile(values, 50)
}

/// The median, over the rounds that both have, of how one round's median is to the other's. What
/// slows the machine for a while slows both.
pub(crate) fn ratio(one: &[Vec<f64>], other: &[Vec<f64>]) -> Option<f64> {
    let ratios: Vec<f64> = one
        .iter()
        .zip(other)
        .filter_map(|(one, other)| Some(median(one)? / median(other)?))
        .filter(|ratio| ratio.is_finite())
        .collect();
    median(&ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&values, 50), Some(51.0));
        assert_eq!(percentile(&values, 99), Some(100.0));
        assert_eq!(percentile(&[7.0], 99), Some(7.0));
        assert_eq!(percentile(&[], 50), None);
    }

    #[test]
    fn a_ratio_is_of_rounds_that_both_have() {
        // The second round was slow for both, the third is missing.
        let one = [vec![2.0, 2.0], vec![20.0], vec![]];
        let other = [vec![1.0], vec![10.0, 10.0], vec![1.0]];
        assert_eq!(ratio(&one, &other), Some(2.0));
        assert_eq!(ratio(&one, &[]), None);
    }
}
