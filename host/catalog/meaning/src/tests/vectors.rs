//! Vectors of texts.

use ampoule_effort::Effort;
use ampoule_tools::meaning::{Meaning, Turn, Vector};

use super::model;
use crate::{Model, ModelError};

/// A text, and the first and last numbers of its vector by the original weights and tokenizer.
const ORIGINAL: [(&str, [f32; 16]); 3] = [
    (
        "read a file",
        [
            0.0307, 0.0467, -0.1066, -0.0096, -0.0408, 0.0024, 0.0673, 0.0969, 0.0115, 0.0477,
            0.0312, 0.1138, 0.0155, 0.073, -0.0262, 0.0126,
        ],
    ),
    (
        "Créate pull-request: merge the branch into main!",
        [
            0.0042, -0.0295, -0.0164, -0.0257, -0.0485, -0.0477, -0.0323, 0.0743, -0.0138, 0.0655,
            -0.0163, -0.0091, 0.0673, -0.0271, -0.0412, 0.0249,
        ],
    ),
    (
        "github official list secret scanning alerts: Lists the alerts of a repository 文件 “quoted” naïve",
        [
            -0.0707, 0.026, -0.0232, 0.0598, 0.1153, -0.0605, 0.0734, -0.0372, 0.0376, 0.0349,
            0.0175, -0.0358, 0.0645, -0.0217, 0.0373, 0.0346,
        ],
    ),
];

#[test]
fn vectors_are_nearly_those_of_the_original() {
    let Some(path) = model("meaning.vectors_are_nearly_those_of_the_original") else {
        return;
    };
    let model = Model::new(&path, None).unwrap();
    for (text, original) in ORIGINAL {
        let vector = model.vector(text, &Effort::default()).unwrap();
        let numbers = vector.numbers();
        assert_eq!(numbers.len(), 384);
        let some: Vec<f32> = numbers[..12]
            .iter()
            .chain(&numbers[380..])
            .map(|it| f32::from(*it))
            .collect();
        let similarity = Vector::of(&some).similarity(&Vector::of(&original));
        assert!(similarity > 0.98, "{similarity} of {text}");
    }
}

#[test]
fn texts_that_mean_the_same_are_similar() {
    let Some(path) = model("meaning.texts_that_mean_the_same_are_similar") else {
        return;
    };
    let model = Model::new(&path, None).unwrap();
    let vector = |text| model.vector(text, &Effort::default()).unwrap();
    let asked = vector("get rid of a document");
    let (alike, other) = (vector("delete file"), vector("convert time zone"));
    assert!(asked.similarity(&alike) > asked.similarity(&other) + 0.2);
    assert!((asked.similarity(&asked) - 1.0).abs() < 1e-3);
}

#[test]
fn any_text_has_a_vector_and_is_paid_for() {
    let Some(path) = model("meaning.any_text_has_a_vector_and_is_paid_for") else {
        return;
    };
    let model = Model::new(&path, None).unwrap();
    let long = "antidisestablishmentarianism ".repeat(10_000);
    for text in ["", "\u{0}\u{fffd}", "文件", &long, &"x".repeat(1 << 20)] {
        assert_eq!(
            model
                .vector(text, &Effort::default())
                .unwrap()
                .numbers()
                .len(),
            384
        );
    }
    let poor = model.vector("a question", &Effort::of(1_000));
    assert!(matches!(poor, Err(ModelError::Effort(_))));
}

#[test]
fn vectors_are_made_once_for_all_processes() {
    let Some(path) = model("meaning.vectors_are_made_once_for_all_processes") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let process = || Model::new(&path, Some(folder.path().join("meaning"))).unwrap();
    let (first, text) = (process(), ["read a file".to_owned()]);
    assert_eq!(first.known(&text), [None]);
    let Turn::Ours(turn) = first.turn() else {
        panic!("nobody else is there");
    };
    assert!(matches!(process().turn(), Turn::Others));
    let made = first.embed(&text[0], &Effort::default()).unwrap();
    first.save();
    drop(turn);
    assert!(matches!(process().turn(), Turn::Ours(_)));
    // Nobody has to pay for it again.
    let second = process();
    let known = second.known(&text);
    assert_eq!(known, [Some(made.clone())]);
    assert_eq!(second.embed(&text[0], &Effort::of(0)).unwrap(), made);
}

#[test]
fn a_file_that_is_not_a_model_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(crate::FILE);
    assert!(matches!(Model::new(&path, None), Err(ModelError::File(_))));
    let contents: [&[u8]; 4] = [
        b"",
        b"\xff\xff\xff\xff\xff\xff\xff\xff{}",
        b"\x02\0\0\0\0\0\0\0[]",
        b"\x08\0\0\0\0\0\0\0{}",
    ];
    for content in contents {
        std::fs::write(&path, content).unwrap();
        assert!(Model::new(&path, None).is_err(), "{content:?}");
    }
    // One that looks like a model is looked into when it is needed.
    std::fs::write(&path, b"\x02\0\0\0\0\0\0\0{}").unwrap();
    let model = Model::new(&path, None).unwrap();
    let embed = || model.vector("a", &Effort::default());
    assert!(matches!(embed(), Err(ModelError::Content(_))));
    assert!(model.prove().is_err());
    // The file is not read again at each question.
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(embed(), Err(ModelError::Content(_))));
}

#[test]
fn a_damaged_model_never_panics() {
    let Some(path) = model("meaning.a_damaged_model_never_panics") else {
        return;
    };
    let whole = std::fs::read(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join(crate::FILE);
    let header = u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    let places = (0..header + 8)
        .step_by(header / 16)
        .chain((header..whole.len()).step_by(whole.len() / 8));
    for place in places {
        let mut content = whole.clone();
        content[place] ^= 0x81;
        std::fs::write(&damaged, content).unwrap();
        // It may be an error, or another vector.
        let vector =
            Model::new(&damaged, None).and_then(|model| model.vector("a file", &Effort::default()));
        assert!(vector.is_err() || vector.is_ok_and(|vector| vector.numbers().len() == 384));
    }
}
