//! Functions that the linker puts in the place of others, which are called often and are slow here.

use std::sync::atomic::{AtomicBool, Ordering};

/// How many categories of characters regular expressions know.
const CATEGORIES: usize = 18;
/// Two of them depend on the locale.
const OF_LOCALE: [u32; 2] = [8, 9];
/// The characters that are looked up.
const ASCII: u32 = 128;

unsafe extern "C" {
    #[link_name = "original:sre_category"]
    fn category_of(category: u32, character: u32) -> i32;
}

/// The ASCII characters of each category, a bit each. They are filled in before the snapshot.
static mut MEMBERS: [u128; CATEGORIES] = [0; CATEGORIES];
static ARE_KNOWN: AtomicBool = AtomicBool::new(false);

/// Asks CPython for the members of each category.
pub(crate) fn learn_categories() {
    for category in 0..CATEGORIES as u32 {
        // SAFETY: it tells of any character whether it is of a category; there is one thread.
        unsafe {
            let members = (0..ASCII)
                .filter(|character| category_of(category, *character) != 0)
                .map(|character| 1u128 << character);
            MEMBERS[category as usize] = members.sum();
        }
    }
    ARE_KNOWN.store(true, Ordering::Relaxed);
}

/// Whether a character is of a category of regular expressions, such as `\w`. CPython asks its
/// tables for each kind of letter and number, one after the other.
#[unsafe(export_name = "instead:sre_category")]
extern "C" fn category(category: u32, character: u32) -> i32 {
    let is_known = character < ASCII && ARE_KNOWN.load(Ordering::Relaxed);
    if is_known && (category as usize) < CATEGORIES && !OF_LOCALE.contains(&category) {
        // SAFETY: nobody writes to it any longer.
        return unsafe { MEMBERS[category as usize] >> character & 1 } as i32;
    }
    // SAFETY: it is CPython's own answer.
    unsafe { category_of(category, character) }
}

/// C's `memcmp`, by words. That of the C library compares bytes.
///
/// # Safety
///
/// So many bytes are there, at both places.
#[unsafe(export_name = "instead:memcmp")]
unsafe extern "C" fn compare(left: *const u8, right: *const u8, bytes: usize) -> i32 {
    const WORD: usize = size_of::<u64>();
    // SAFETY: what is read is not behind the end.
    unsafe {
        let mut at = 0;
        while bytes - at >= WORD {
            let word = |of: *const u8| of.add(at).cast::<u64>().read_unaligned();
            let (left, right) = (word(left), word(right));
            if left != right {
                // The first byte is the lowest of a word.
                return if left.swap_bytes() < right.swap_bytes() {
                    -1
                } else {
                    1
                };
            }
            at += WORD;
        }
        while at < bytes {
            let (left, right) = (*left.add(at), *right.add(at));
            if left != right {
                return i32::from(left) - i32::from(right);
            }
            at += 1;
        }
    }
    0
}
