//! Functions take what they need by name: no parameter is a tuple.

use ampoule_tests::repository;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{
    FnArg, GenericArgument, GenericParam, Pat, PathArguments, Signature, Type, TypeParamBound,
    WherePredicate,
};

use super::layout;

/// Folders whose functions may take tuples, and why.
const EXCEPTIONS: [(&str, &str); 1] = [(
    "host/bind/python/src",
    "PyO3 gives functions Python's tuples as tuples",
)];

/// Types that hold many of their argument, where a pair is a key with its value.
const LISTS: [&str; 7] = [
    "BTreeSet",
    "HashSet",
    "IntoIterator",
    "Iterator",
    "Peekable",
    "Vec",
    "VecDeque",
];

/// Types of Wasmtime whose arguments are the parameters of a guest's function.
const FUNCTIONS_OF_GUESTS: [&str; 1] = ["TypedFunc"];

/// The signatures of all functions of a source text, wherever they stand.
fn signatures(stream: TokenStream, found: &mut Vec<Signature>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        if let TokenTree::Group(group) = tree {
            signatures(group.stream(), found);
        }
        let is_function = matches!(tree, TokenTree::Ident(word) if word == "fn")
            && matches!(trees.get(at + 1), Some(TokenTree::Ident(_)));
        if is_function {
            let tokens = trees[at..]
                .iter()
                .take_while(|tree| !ends_a_signature(tree));
            let tokens: TokenStream = tokens.cloned().collect();
            let shown = tokens.to_string();
            found.push(syn::parse2(tokens).unwrap_or_else(|error| panic!("{error}: {shown}")));
        }
    }
}

fn ends_a_signature(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Punct(sign) => sign.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}

/// Whether a function takes a tuple, or a function that takes one.
fn takes_a_tuple(signature: &Signature) -> bool {
    let predicates = signature.generics.where_clause.iter();
    let mut predicates = predicates.flat_map(|clause| &clause.predicates);
    signature.inputs.iter().any(|input| match input {
        FnArg::Typed(input) => is_tuple_pattern(&input.pat) || has_a_tuple(&input.ty),
        FnArg::Receiver(_) => false,
    }) || signature.generics.params.iter().any(|param| match param {
        GenericParam::Type(param) => param.bounds.iter().any(is_of_a_tuple),
        _ => false,
    }) || predicates.any(|predicate| match predicate {
        WherePredicate::Type(predicate) => predicate.bounds.iter().any(is_of_a_tuple),
        _ => false,
    })
}

/// Whether a pattern takes a tuple apart, whatever its type is called.
fn is_tuple_pattern(pattern: &Pat) -> bool {
    match pattern {
        Pat::Tuple(tuple) => !tuple.elems.is_empty(),
        Pat::Reference(reference) => is_tuple_pattern(&reference.pat),
        Pat::Paren(inner) => is_tuple_pattern(&inner.pat),
        _ => false,
    }
}

/// Whether a type is a tuple or has one, other than the unit, and than pairs in lists.
fn has_a_tuple(ty: &Type) -> bool {
    match ty {
        Type::Tuple(tuple) => !tuple.elems.is_empty(),
        Type::Reference(reference) => has_a_tuple(&reference.elem),
        Type::Paren(inner) => has_a_tuple(&inner.elem),
        Type::Group(inner) => has_a_tuple(&inner.elem),
        Type::Ptr(pointer) => has_a_tuple(&pointer.elem),
        Type::Array(array) => is_an_odd_item(&array.elem),
        Type::Slice(slice) => is_an_odd_item(&slice.elem),
        Type::ImplTrait(bounds) => bounds.bounds.iter().any(is_of_a_tuple),
        Type::TraitObject(bounds) => bounds.bounds.iter().any(is_of_a_tuple),
        Type::Path(path) => is_path_of_a_tuple(&path.path),
        _ => false,
    }
}

/// Whether the items of a list are tuples, and no pairs of a key and its value.
fn is_an_odd_item(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_an_odd_item(&reference.elem),
        Type::Tuple(tuple) if tuple.elems.len() == 2 => tuple.elems.iter().any(has_a_tuple),
        other => has_a_tuple(other),
    }
}

fn is_of_a_tuple(bound: &TypeParamBound) -> bool {
    match bound {
        TypeParamBound::Trait(bound) => is_path_of_a_tuple(&bound.path),
        _ => false,
    }
}

/// Whether the arguments of a type or of a trait have a tuple; what a function returns is not looked
/// at.
fn is_path_of_a_tuple(path: &syn::Path) -> bool {
    path.segments.iter().any(|segment| {
        let is_list = LISTS.iter().any(|list| segment.ident == list);
        let is_odd = |ty: &Type| match is_list {
            true => is_an_odd_item(ty),
            false => has_a_tuple(ty),
        };
        match &segment.arguments {
            _ if FUNCTIONS_OF_GUESTS.iter().any(|name| segment.ident == name) => false,
            PathArguments::None => false,
            PathArguments::Parenthesized(function) => {
                function.inputs.iter().any(|input| has_a_tuple(&input.ty))
            }
            PathArguments::AngleBracketed(arguments) => {
                arguments.args.iter().any(|argument| match argument {
                    GenericArgument::Type(ty) => is_odd(ty),
                    GenericArgument::AssocType(of) => is_odd(&of.ty),
                    _ => false,
                })
            }
        }
    })
}

#[test]
fn no_function_takes_a_tuple() {
    let roots = ["host", "xtask"].map(|root| repository().join(root));
    let mut wrong = Vec::new();
    let mut functions = 0;
    let mut excepted = [0; EXCEPTIONS.len()];
    for path in layout::sources() {
        if !roots.iter().any(|root| path.starts_with(root)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source");
        let name = path.strip_prefix(repository()).expect("in the repository");
        let stream = text.parse().expect("a source in Rust");
        let mut found = Vec::new();
        signatures(stream, &mut found);
        functions += found.len();
        found.retain(takes_a_tuple);
        match EXCEPTIONS
            .iter()
            .position(|(folder, _)| name.starts_with(folder))
        {
            Some(exception) => excepted[exception] += found.len(),
            None => wrong.extend(
                found
                    .iter()
                    .map(|it| format!("{}: {}", name.display(), it.ident)),
            ),
        }
    }
    assert!(functions > 10_000, "{functions} functions");
    assert!(
        wrong.is_empty(),
        "give these functions parameters with names, or a struct:\n{}",
        wrong.join("\n")
    );
    for ((folder, why), functions) in EXCEPTIONS.iter().zip(excepted) {
        assert!(functions > 0, "take out the exception of {folder}: {why}");
    }
}

#[test]
fn tuples_are_found_wherever_they_hide() {
    let takes = |text: &str| {
        let mut found = Vec::new();
        signatures(text.parse().expect("a source"), &mut found);
        let names = found.iter().filter(|it| takes_a_tuple(it));
        names.map(|it| it.ident.to_string()).collect::<Vec<_>>()
    };
    let wrong = "
        fn a((one, other): (u8, u8)) {}
        mod inner { impl T { fn b(&self, pair: &(A, B)) -> C { fn c(it: Option<(A, B)>) {} } } }
        fn d(&(one, other): &Alias) {}
        fn e(triples: &[(A, B, C)]) {}
        fn f(them: Vec<((A, B), C)>) {}
        fn g(act: impl Fn((A, B)) -> C) {}
        fn h<F>(act: F) where F: FnMut(&(A, B)) {}
        fn i<F: Fn(A, (B,))>(act: F);
    ";
    assert_eq!(takes(wrong), ["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
    let right = "
        fn a(&self, unit: (), one: u8) -> (u8, u8) {}
        fn b(pairs: &[(&str, u8)], more: impl IntoIterator<Item = (String, A)>) {}
        fn c(act: impl Fn(A, B) -> (A, B)) {}
        fn d<F>(take: &TypedFunc<(u32, u32), (u32,)>, act: F) where F: Fn(A) -> (B, C) {}
    ";
    assert_eq!(takes(right), [""; 0]);
}
