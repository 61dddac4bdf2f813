//! The arithmetic: a BERT of a few layers, one text at a time.
//!
//! Weights are numbers of 8 bits, as they are in the file; so is what they are multiplied with, each
//! word's numbers by a scale of their own. The products of matrices, and what is done to each number
//! of a row, are kernels of RTen for the processor that this runs on.

use ampoule_effort::Effort;
use rten_gemm::{GemmError, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_tensor::{Matrix, NdTensorView};
use rten_vecmath::{
    ExtendInit, Gelu, MinMax, Normalize, NormalizeOptions, Quantize, Softmax, Sum, SumSquareSub,
};

use crate::ModelError;
use crate::file::{Tensors, Weights};

/// How many numbers a head of attention looks at.
const HEAD: usize = 32;
/// What is added to a variance, so that it can be divided by.
const EPSILON: f32 = 1e-12;
/// What a word costs in one layer, in units of fuel: some 35 µs.
const WORD_IN_LAYER: u64 = 70_000;

/// A model whose words are numbers already.
pub(crate) struct Layers {
    words: Weights,
    places: Vec<f32>,
    first_norm: Norm,
    layers: Vec<Layer>,
    width: usize,
}

/// The kernels for the products, chosen for this processor.
struct Products {
    of_bytes: GemmExecutor<u8, i8, i32>,
    of_floats: GemmExecutor<f32>,
}

impl Products {
    fn new() -> Self {
        Self {
            of_bytes: GemmExecutor::new(),
            of_floats: GemmExecutor::new(),
        }
    }
}

struct Layer {
    attention: Linear,
    attended: Linear,
    attention_norm: Norm,
    inner: Linear,
    outer: Linear,
    norm: Norm,
}

/// A product with weights, and what is added to it.
struct Linear {
    weights: PackedBMatrix<i8>,
    /// What the weights for each number that comes out are together.
    sums: Vec<i32>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Layers {
    pub(crate) fn of(tensors: &Tensors<'_>) -> Result<Self, ModelError> {
        let products = Products::new();
        let words = tensors.weights("words")?;
        let width = words.columns;
        if width == 0 || width % HEAD != 0 {
            return Err(ModelError::Content("words"));
        }
        let places = tensors.floats("places")?;
        if places.is_empty() || places.len() % width != 0 {
            return Err(ModelError::Content("places"));
        }
        let mut layers = Vec::new();
        while tensors.has(&format!("layer.{}.inner", layers.len())) {
            let name = |part: &str| format!("layer.{}.{part}", layers.len());
            let linear = |part: &str, rows, columns| {
                Linear::of(tensors, &name(part), [rows, columns], &products)
            };
            let within = tensors.weights(&name("inner"))?.rows;
            layers.push(Layer {
                attention: linear("attention", 3 * width, width)?,
                attended: linear("attended", width, width)?,
                attention_norm: Norm::of(tensors, &name("attention-norm"), width)?,
                inner: linear("inner", within, width)?,
                outer: linear("outer", width, within)?,
                norm: Norm::of(tensors, &name("norm"), width)?,
            });
        }
        Ok(Self {
            first_norm: Norm::of(tensors, "norm", width)?,
            words,
            places,
            layers,
            width,
        })
    }

    /// How many words a text may have.
    pub(crate) fn most_words(&self) -> usize {
        self.places.len() / self.width
    }

    /// How many words there are.
    pub(crate) fn vocabulary(&self) -> usize {
        self.words.rows
    }

    /// The mean of what the words of a text are in the last layer. Their numbers are those of words
    /// that there are.
    pub(crate) fn vector(&self, ids: &[u32], effort: &Effort) -> Result<Vec<f32>, ModelError> {
        let (width, count) = (self.width, ids.len());
        let mut now = Vec::with_capacity(count * width);
        for (id, place) in ids.iter().zip(self.places.chunks_exact(width)) {
            let (row, scale) = self
                .words
                .row(*id as usize)
                .ok_or(ModelError::Content("words"))?;
            now.extend(
                row.iter()
                    .zip(place)
                    .map(|(word, place)| f32::from(*word) * scale + place),
            );
        }
        self.first_norm.apply(&mut now);
        let products = Products::new();
        for layer in &self.layers {
            effort.spend(WORD_IN_LAYER * count as u64)?;
            now = layer.apply(now, &products)?;
        }
        let mut mean = vec![0.0; width];
        for word in now.chunks_exact(width) {
            mean.iter_mut()
                .zip(word)
                .for_each(|(mean, word)| *mean += word);
        }
        Ok(mean)
    }
}

impl Layer {
    fn apply(&self, words: Vec<f32>, products: &Products) -> Result<Vec<f32>, GemmError> {
        let attention = self.attention.apply(&words, products)?;
        let seen = attend(&attention, self.attended.width(), products)?;
        let mut attended = self.attended.apply(&seen, products)?;
        add(&mut attended, &words);
        self.attention_norm.apply(&mut attended);
        let mut inner = self.inner.apply(&attended, products)?;
        Gelu {}.map_mut(&mut inner);
        let mut outer = self.outer.apply(&inner, products)?;
        add(&mut outer, &attended);
        self.norm.apply(&mut outer);
        Ok(outer)
    }
}

fn add(to: &mut [f32], what: &[f32]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += what);
}

/// What each word sees of the others. A row has what a word asks for, what it is found by, and what
/// is seen of it.
fn attend(rows: &[f32], width: usize, products: &Products) -> Result<Vec<f32>, GemmError> {
    let count = rows.len() / (3 * width);
    let all: Matrix<'_, f32> = NdTensorView::from_data([count, 3 * width], rows);
    let mut seen = vec![0.0; count * width];
    let (mut alike, mut part) = (vec![0.0; count * count], vec![0.0; count * HEAD]);
    for head in (0..width).step_by(HEAD) {
        let of = |which: usize| {
            let at = which * width + head;
            all.slice((.., at..at + HEAD))
        };
        let (asked, found, content) = (of(0), of(1), of(2));
        let options = GemmOptions {
            alpha: 1.0 / (HEAD as f32).sqrt(),
            ..GemmOptions::default()
        };
        let (asked, found) = (
            GemmInputA::Unpacked(asked),
            GemmInputB::Unpacked(found.transposed()),
        );
        products.of_floats.gemm(&mut alike, asked, found, options)?;
        for word in alike.chunks_exact_mut(count) {
            Softmax::new_mut(word).dispatch();
        }
        let weights = GemmInputA::Unpacked(NdTensorView::from_data([count, count], &alike[..]));
        let content = GemmInputB::Unpacked(content);
        products
            .of_floats
            .gemm(&mut part, weights, content, GemmOptions::default())?;
        let rows = seen.chunks_exact_mut(width).zip(part.chunks_exact(HEAD));
        rows.for_each(|(row, part)| row[head..head + HEAD].copy_from_slice(part));
    }
    Ok(seen)
}

impl Linear {
    fn of(
        tensors: &Tensors<'_>,
        name: &str,
        shape: [usize; 2],
        products: &Products,
    ) -> Result<Self, ModelError> {
        let Weights {
            bytes,
            scales,
            rows,
            columns,
        } = tensors.weights(name)?;
        let bias = tensors.floats(&format!("{name}.bias"))?;
        if [rows, columns] != shape || bias.len() != rows {
            return Err(ModelError::Content("weights"));
        }
        let matrix: Matrix<'_, i8> = NdTensorView::from_data([rows, columns], &bytes[..]);
        Ok(Self {
            weights: products.of_bytes.prepack_b(matrix.transposed()),
            sums: bytes.chunks_exact(columns).map(sum).collect(),
            scales,
            bias,
        })
    }

    /// How many numbers come out of it for each word.
    fn width(&self) -> usize {
        self.scales.len()
    }

    fn apply(&self, words: &[f32], products: &Products) -> Result<Vec<f32>, GemmError> {
        let (depth, width) = (self.weights.rows(), self.width());
        let count = words.len() / depth;
        let mut bytes: Vec<u8> = Vec::with_capacity(words.len());
        let mut ranges = Vec::with_capacity(count);
        for word in words.chunks_exact(depth) {
            let (least, most) = MinMax::new(word).dispatch();
            let (least, most) = (least.min(0.0), most.max(0.0));
            let scale = ((most - least) / 255.0).max(f32::MIN_POSITIVE);
            let zero = (-least / scale).round() as u8;
            bytes.extend_init(|room| {
                Quantize::new(word, &mut room[..depth], 1.0 / scale, zero).dispatch()
            });
            ranges.push((i32::from(zero), scale));
        }
        // RTen could subtract the zeros; in 0.27 it takes those of the first eight rows for all.
        let mut sums = vec![0; count * width];
        let bytes = GemmInputA::Unpacked(NdTensorView::from_data([count, depth], &bytes[..]));
        let weights = GemmInputB::Packed(&self.weights);
        products
            .of_bytes
            .gemm(&mut sums, bytes, weights, GemmOptions::default())?;
        let mut out = Vec::with_capacity(count * width);
        for (sums, (zero, scale)) in sums.chunks_exact(width).zip(ranges) {
            let columns = self.sums.iter().zip(&self.scales).zip(&self.bias);
            out.extend(
                sums.iter()
                    .zip(columns)
                    .map(|(sum, ((weights, column), bias))| {
                        (sum - zero * weights) as f32 * (scale * column) + bias
                    }),
            );
        }
        Ok(out)
    }
}

fn sum(bytes: &[i8]) -> i32 {
    bytes.iter().map(|byte| i32::from(*byte)).sum()
}

impl Norm {
    fn of(tensors: &Tensors<'_>, name: &str, width: usize) -> Result<Self, ModelError> {
        let part = |part: &str| {
            let floats = tensors.floats(&format!("{name}.{part}"))?;
            (floats.len() == width)
                .then_some(floats)
                .ok_or(ModelError::Content("norms"))
        };
        Ok(Self {
            weight: part("weight")?,
            bias: part("bias")?,
        })
    }

    fn apply(&self, words: &mut [f32]) {
        let width = self.weight.len();
        for word in words.chunks_exact_mut(width) {
            let mean = Sum::new(word).dispatch() / width as f32;
            let variance = SumSquareSub::new(word, mean).dispatch() / width as f32;
            let options = NormalizeOptions {
                pre_scale_bias: mean,
                scale: 1.0 / (variance + EPSILON).sqrt(),
                element_scale: Some(&self.weight),
                bias: 0.0,
                element_bias: Some(&self.bias),
            };
            Normalize::new_mut(word, options).dispatch();
        }
    }
}
