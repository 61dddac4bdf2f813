//! A model's weights as numbers of 8 bits.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, ensure};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// How many words a text may have.
const PLACES: usize = 256;
/// The largest weight. Where two products of bytes are added in 16 bits, as processors without
/// VNNI do it, 255 × 64 × 2 still fits.
const LARGEST: f32 = 64.0;

/// What is needed of the tokenizer.
#[derive(Deserialize)]
struct Tokenizer {
    model: Words,
}

#[derive(Deserialize)]
struct Words {
    vocab: HashMap<String, usize>,
}

/// What is written: bytes of a kind, and a shape.
struct Part {
    kind: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// Numbers in rows.
struct Floats {
    numbers: Vec<f32>,
    shape: Vec<usize>,
}

/// The file that `ampoule-meaning` reads.
pub(super) fn smaller(original: &[u8], tokenizer: &[u8]) -> Result<Vec<u8>> {
    let tensors = SafeTensors::deserialize(original)?;
    let floats = |name: &str| Floats::of(&tensors, name);
    let mut parts = BTreeMap::new();
    let words = floats("embeddings.word_embeddings.weight")?;
    let width = *words.shape.last().context("words have a width")?;
    ensure!(width == 384, "the model has another width");
    weights(&mut parts, "words", &words);
    let kind = floats("embeddings.token_type_embeddings.weight")?;
    let mut places = floats("embeddings.position_embeddings.weight")?;
    places.numbers.truncate(PLACES * width);
    for place in places.numbers.chunks_exact_mut(width) {
        place
            .iter_mut()
            .zip(&kind.numbers)
            .for_each(|(place, kind)| *place += kind);
    }
    places.shape = vec![PLACES, width];
    plain(&mut parts, "places", &places);
    norm(&mut parts, "norm", "embeddings.LayerNorm", &tensors)?;
    for layer in 0..6 {
        let of = |part: &str| format!("encoder.layer.{layer}.{part}");
        let name = |part: &str| format!("layer.{layer}.{part}");
        let asked = ["query", "key", "value"].map(|part| of(&format!("attention.self.{part}")));
        linear(&mut parts, &name("attention"), &asked, &tensors)?;
        linear(
            &mut parts,
            &name("attended"),
            &[of("attention.output.dense")],
            &tensors,
        )?;
        norm(
            &mut parts,
            &name("attention-norm"),
            &of("attention.output.LayerNorm"),
            &tensors,
        )?;
        linear(
            &mut parts,
            &name("inner"),
            &[of("intermediate.dense")],
            &tensors,
        )?;
        linear(&mut parts, &name("outer"), &[of("output.dense")], &tensors)?;
        norm(&mut parts, &name("norm"), &of("output.LayerNorm"), &tensors)?;
    }
    let vocabulary = vocabulary(tokenizer)?;
    parts.insert(
        "vocabulary".to_owned(),
        Part {
            kind: Dtype::U8,
            shape: vec![vocabulary.len()],
            bytes: vocabulary.into_bytes(),
        },
    );
    write(&parts)
}

/// The vocabulary, a word in each line.
fn vocabulary(tokenizer: &[u8]) -> Result<String> {
    let Tokenizer { model } = serde_json::from_slice(tokenizer)?;
    let mut words: Vec<(usize, String)> = model
        .vocab
        .into_iter()
        .map(|(word, id)| (id, word))
        .collect();
    words.sort();
    ensure!(
        words.iter().enumerate().all(|(at, (id, _))| at == *id),
        "a number has no word"
    );
    Ok(words
        .into_iter()
        .map(|(_, word)| word)
        .collect::<Vec<_>>()
        .join("\n"))
}

fn write(parts: &BTreeMap<String, Part>) -> Result<Vec<u8>> {
    let mut digest = Sha256::new();
    for (name, part) in parts {
        digest.update(name);
        digest.update(&part.bytes);
    }
    let digest: String = digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let views = parts.iter().map(|(name, part)| {
        let view = TensorView::new(part.kind, part.shape.clone(), &part.bytes)?;
        Ok((name.clone(), view))
    });
    let views: Vec<(String, TensorView<'_>)> = views.collect::<Result<_>>()?;
    // One entry: the order of several is by chance.
    let about = HashMap::from([("content".to_owned(), digest)]);
    Ok(safetensors::serialize(views, Some(about))?)
}

impl Floats {
    fn of(tensors: &SafeTensors<'_>, name: &str) -> Result<Self> {
        let tensor = tensors.tensor(name)?;
        ensure!(tensor.dtype() == Dtype::F32, "{name} has another type");
        let (numbers, _) = tensor.data().as_chunks::<4>();
        Ok(Self {
            numbers: numbers.iter().copied().map(f32::from_le_bytes).collect(),
            shape: tensor.shape().to_vec(),
        })
    }
}

fn plain(parts: &mut BTreeMap<String, Part>, name: &str, floats: &Floats) {
    let bytes = floats
        .numbers
        .iter()
        .flat_map(|number| number.to_le_bytes());
    let part = Part {
        kind: Dtype::F32,
        shape: floats.shape.clone(),
        bytes: bytes.collect(),
    };
    parts.insert(name.to_owned(), part);
}

/// Weights as bytes, and a scale for each row.
fn weights(parts: &mut BTreeMap<String, Part>, name: &str, floats: &Floats) {
    let width = floats.shape.last().copied().unwrap_or(1);
    let (mut bytes, mut scales) = (Vec::new(), Vec::new());
    for row in floats.numbers.chunks_exact(width) {
        let most = row
            .iter()
            .fold(0.0_f32, |most, number| most.max(number.abs()));
        let scale = (most / LARGEST).max(f32::MIN_POSITIVE);
        bytes.extend(
            row.iter()
                .map(|number| (number / scale).round() as i8 as u8),
        );
        scales.push(scale);
    }
    let part = Part {
        kind: Dtype::I8,
        shape: floats.shape.clone(),
        bytes,
    };
    parts.insert(name.to_owned(), part);
    let scales = Floats {
        shape: vec![scales.len()],
        numbers: scales,
    };
    plain(parts, &format!("{name}.scale"), &scales);
}

/// Products that follow from the same numbers, as one.
fn linear(
    parts: &mut BTreeMap<String, Part>,
    name: &str,
    from: &[String],
    tensors: &SafeTensors<'_>,
) -> Result<()> {
    let joined = |what: &str| {
        let all = from
            .iter()
            .map(|from| Floats::of(tensors, &format!("{from}.{what}")));
        let all: Vec<Floats> = all.collect::<Result<_>>()?;
        let mut shape = all[0].shape.clone();
        shape[0] *= all.len();
        let numbers = all.into_iter().flat_map(|floats| floats.numbers).collect();
        Ok::<_, anyhow::Error>(Floats { numbers, shape })
    };
    weights(parts, name, &joined("weight")?);
    plain(parts, &format!("{name}.bias"), &joined("bias")?);
    Ok(())
}

fn norm(
    parts: &mut BTreeMap<String, Part>,
    name: &str,
    from: &str,
    tensors: &SafeTensors<'_>,
) -> Result<()> {
    for part in ["weight", "bias"] {
        let floats = Floats::of(tensors, &format!("{from}.{part}"))?;
        plain(parts, &format!("{name}.{part}"), &floats);
    }
    Ok(())
}
