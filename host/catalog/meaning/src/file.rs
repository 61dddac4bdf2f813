//! The file of a model: safetensors with what this model is made of. Nothing in it is executed.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::ModelError;

/// How large a file may be, and what it says about itself at its start.
const MAX_FILE: u64 = 256 << 20;
const MAX_HEADER: u64 = 1 << 20;

/// Numbers of 8 bits in rows, each row with a scale.
pub(crate) struct Weights {
    pub(crate) bytes: Vec<i8>,
    pub(crate) scales: Vec<f32>,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl Weights {
    /// A row, and its scale.
    pub(crate) fn row(&self, at: usize) -> Option<(&[i8], f32)> {
        let start = at.checked_mul(self.columns)?;
        let row = self.bytes.get(start..start.checked_add(self.columns)?)?;
        Some((row, *self.scales.get(at)?))
    }
}

/// What is in a model's file, by name.
pub(crate) struct Tensors<'a>(SafeTensors<'a>);

impl<'a> Tensors<'a> {
    pub(crate) fn of(file: &'a [u8]) -> Result<Self, ModelError> {
        let tensors = SafeTensors::deserialize(file);
        tensors.map(Self).map_err(|_| ModelError::Content("header"))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.tensor(name).is_ok()
    }

    fn tensor(&self, name: &str, kind: Dtype) -> Result<TensorView<'a>, ModelError> {
        let tensor = self.0.tensor(name).ok();
        let tensor = tensor.filter(|tensor| tensor.dtype() == kind);
        tensor.ok_or(ModelError::Content("tensors"))
    }

    pub(crate) fn floats(&self, name: &str) -> Result<Vec<f32>, ModelError> {
        let tensor = self.tensor(name, Dtype::F32)?;
        let (floats, _) = tensor.data().as_chunks::<4>();
        let floats: Vec<f32> = floats.iter().copied().map(f32::from_le_bytes).collect();
        match floats.iter().all(|float| float.is_finite()) {
            true => Ok(floats),
            false => Err(ModelError::Content("numbers")),
        }
    }

    pub(crate) fn weights(&self, name: &str) -> Result<Weights, ModelError> {
        let tensor = self.tensor(name, Dtype::I8)?;
        let scales = self.floats(&format!("{name}.scale"))?;
        match *tensor.shape() {
            [rows, columns] if scales.len() == rows => Ok(Weights {
                bytes: tensor.data().iter().map(|byte| *byte as i8).collect(),
                scales,
                rows,
                columns,
            }),
            _ => Err(ModelError::Content("weights")),
        }
    }

    pub(crate) fn text(&self, name: &str) -> Result<&'a str, ModelError> {
        let text = std::str::from_utf8(self.tensor(name, Dtype::U8)?.data());
        text.map_err(|_| ModelError::Content("text"))
    }
}

/// The whole file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    let file = File::open(path)?;
    let mut content = Vec::new();
    match file.take(MAX_FILE + 1).read_to_end(&mut content)? as u64 > MAX_FILE {
        true => Err(ModelError::Content("size")),
        false => Ok(content),
    }
}

/// What distinguishes the model from others: a digest of the file's start, which has a digest of
/// what it was made from.
pub(crate) fn key(path: &Path) -> Result<String, ModelError> {
    let mut file = File::open(path)?;
    let mut length = [0; 8];
    file.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_HEADER {
        return Err(ModelError::Content("header"));
    }
    let mut header = Vec::new();
    file.take(length).read_to_end(&mut header)?;
    if header.len() as u64 != length || !header.starts_with(b"{") {
        return Err(ModelError::Content("header"));
    }
    Ok(blake3::hash(&header).to_hex()[..32].to_owned())
}
