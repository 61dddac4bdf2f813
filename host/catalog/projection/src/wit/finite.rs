//! Where types that contain themselves end.
//!
//! WIT has no type that contains itself, and those who read it expand every name. So a name becomes
//! free-form where it would lead back to itself, and where what it stands for is too deep or too
//! large.

use super::super::interface::Interface;
use super::super::types::{Definition, MAX_DEPTH, Type};

/// How large a type may be with all names in it expanded, in types. Readers of components refuse
/// those beyond a million.
const MAX_SIZE: usize = 4_096;

/// How deep and how large a type is with all names in it expanded.
#[derive(Clone, Copy, Default)]
struct Extent {
    depth: usize,
    size: usize,
}

/// The interface without types that contain themselves. What becomes of a type does not depend on
/// the order of the tools.
pub(super) fn finite(mut interface: Interface) -> Interface {
    let mut order: Vec<usize> = (0..interface.definitions.len()).collect();
    order.sort_by(|&a, &b| {
        interface.definitions[a]
            .hint
            .cmp(&interface.definitions[b].hint)
    });
    let count = interface.definitions.len();
    let mut extents = Extents {
        known: vec![None; count],
        met: vec![false; count],
    };
    for start in order {
        extents.settle(start, &mut interface.definitions);
    }
    for function in &mut interface.functions {
        for root in std::iter::once(&mut function.arguments).chain(&mut function.result) {
            extents.cut(&mut root.ty);
        }
    }
    interface
}

struct Extents {
    /// Those of the definitions that are finite already.
    known: Vec<Option<Extent>>,
    /// Those that were looked at, and so are known or contain what is looked at.
    met: Vec<bool>,
}

impl Extents {
    /// Makes a definition finite, and before it those that it names. A stack of its own, as
    /// definitions may form a long chain.
    fn settle(&mut self, start: usize, definitions: &mut [Definition]) {
        let mut open = vec![(start, false)];
        while let Some((id, inside_done)) = open.pop() {
            if self.known[id].is_some() {
                continue;
            }
            if inside_done || std::mem::replace(&mut self.met[id], true) {
                if inside_done {
                    self.known[id] = Some(self.cut(&mut definitions[id].value.ty));
                }
                continue;
            }
            open.push((id, true));
            let mut inside = Vec::new();
            names_in(&definitions[id].value.ty, &mut inside);
            open.extend(
                inside
                    .into_iter()
                    .rev()
                    .filter(|inner| self.known[*inner].is_none() && !self.met[*inner])
                    .map(|inner| (inner, false)),
            );
        }
    }

    /// Makes a type finite whose names are settled but for those that lead back to it. Says how far
    /// it extends.
    fn cut(&self, ty: &mut Type) -> Extent {
        let mut left = MAX_SIZE;
        let depth = self.cut_at(ty, 0, &mut left);
        Extent {
            depth,
            size: MAX_SIZE - left,
        }
    }

    fn cut_at(&self, ty: &mut Type, level: usize, left: &mut usize) -> usize {
        *left = left.saturating_sub(1);
        if let Type::Named(id) = ty {
            match self.known[id.0] {
                Some(extent) if level + extent.depth <= MAX_DEPTH && extent.size <= *left => {
                    *left -= extent.size;
                    return level + extent.depth;
                }
                _ => *ty = Type::Any,
            }
            return level;
        }
        let mut depth = level;
        ty.for_each_child_mut(|child, _| depth = depth.max(self.cut_at(child, level + 1, left)));
        depth
    }
}

fn names_in(ty: &Type, names: &mut Vec<usize>) {
    if let Type::Named(id) = ty {
        names.push(id.0);
    }
    ty.for_each_child(|child| names_in(child, names));
}
