//! Variety among the first answers: of tools that are named almost alike, as `update_issue_title` and
//! `update_issue_body`, the best stands for the others, unless they fit much better than what else
//! there is.

use super::Hit;

/// How many answers are varied, and of how many the next one is chosen: the ten best stay the ten
/// best.
const VARIED: usize = 5;
const WINDOW: usize = 10;

/// How much of its score a tool loses that is named as one before it.
const ALIKE: f32 = 0.2;

/// Puts the best first, of which each is the less like those before it; `alike` says how much two
/// are, up to 1. The first one stays, and so do those that the query names.
pub(super) fn vary(hits: &mut [Hit], alike: impl Fn(usize, usize) -> f32) {
    let window = hits.len().min(WINDOW);
    let hits = &mut hits[..window];
    let mut most_alike = vec![0.0_f32; window];
    for place in 1..window.min(VARIED) {
        let before = hits[place - 1].index;
        for (hit, most) in hits.iter().zip(&mut most_alike).skip(place) {
            *most = most.max(alike(before, hit.index));
        }
        if hits[place].is_named {
            continue;
        }
        let mut best = place;
        let worth = |at: usize| hits[at].score * (1.0 - ALIKE * most_alike[at]);
        for at in place + 1..window {
            if worth(at) > worth(best) {
                best = at;
            }
        }
        hits[place..=best].rotate_right(1);
        most_alike[place..=best].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varied(scores: &[f32], alike: impl Fn(usize, usize) -> f32) -> Vec<usize> {
        varied_of(scores, 0, alike)
    }

    /// The same, where the first of them are named.
    fn varied_of(scores: &[f32], named: usize, alike: impl Fn(usize, usize) -> f32) -> Vec<usize> {
        let hits = scores.iter().enumerate().map(|(index, &score)| Hit {
            index,
            score,
            is_named: index < named,
        });
        let mut hits: Vec<Hit> = hits.collect();
        vary(&mut hits, alike);
        hits.into_iter().map(|hit| hit.index).collect()
    }

    #[test]
    fn of_a_family_the_best_comes_first_and_the_others_after_what_is_about_as_good() {
        let families = |one: usize, other: usize| f32::from(u8::from(one < 3 && other < 3));
        let scores = [10.0, 9.9, 9.8, 9.0, 8.9, 5.0];
        assert_eq!(varied(&scores, families), [0, 3, 4, 1, 2, 5]);
        assert_eq!(varied(&scores, |_, _| 0.0), [0, 1, 2, 3, 4, 5]);
        assert_eq!(varied(&[1.0, 0.5], |_, _| 1.0), [0, 1]);
        assert_eq!(varied(&[], |_, _| 1.0), [0; 0]);
    }

    #[test]
    fn what_is_named_stays_before_what_only_fits() {
        let families = |one: usize, other: usize| f32::from(u8::from(one < 3 && other < 3));
        let scores = [10.0, 1.0, 9.8, 9.0];
        assert_eq!(varied_of(&scores, 2, families), [0, 1, 3, 2]);
    }
}
