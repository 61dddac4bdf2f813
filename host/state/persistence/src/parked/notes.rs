//! What was noted of a run since it was kept: a file that only grows, each note with its length and a
//! keyed hash of its number and its bytes. The last one may be cut off where its writer was
//! killed; it was not noted then.

use ampoule_store::key::Key;

const HASH_BYTES: usize = blake3::OUT_LEN;

/// One note, as it is written: the so-manieth of this number of this run.
pub(crate) fn written(note: &[u8], at: &NoteLocation<'_>, key: &Key) -> Vec<u8> {
    let length = (note.len() as u64).to_le_bytes();
    [&length, note, at.hash(note, key).as_bytes()].concat()
}

/// Where a note stands.
pub(crate) struct NoteLocation<'r> {
    pub(crate) run: &'r str,
    pub(crate) number: u64,
    /// How many bytes of notes are before it.
    pub(crate) offset: u64,
}

impl NoteLocation<'_> {
    fn hash(&self, note: &[u8], key: &Key) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(self.run.as_bytes());
        hasher.update(&self.number.to_le_bytes());
        hasher.update(&self.offset.to_le_bytes());
        hasher.update(note);
        hasher.finalize()
    }
}

/// The notes in a file, and how many of its bytes they take; or what is wrong with them.
pub(crate) fn read(
    file: &[u8],
    mut at: NoteLocation<'_>,
    key: &Key,
) -> Result<(Vec<Vec<u8>>, u64), &'static str> {
    let (mut notes, mut rest) = (Vec::new(), file);
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let whole = length.checked_add(HASH_BYTES);
        let Some((note, then)) = whole.and_then(|whole| after.split_at_checked(whole)) else {
            break;
        };
        let (note, hash) = note.split_at(length);
        let hash: [u8; HASH_BYTES] = hash.try_into().unwrap_or_default();
        if at.hash(note, key) != hash {
            return Err("its notes were changed");
        }
        notes.push(note.to_vec());
        at.offset += (file.len() - then.len()) as u64 - at.offset;
        rest = then;
    }
    Ok((notes, at.offset))
}
