//! The items of a list, and the entries of a table, without those that are left out.

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::names;
use super::value::{At, below};
use super::value_error::{ValueError, ValueMistake};
use crate::tree::{Member, Node};

/// The items of a list.
pub(super) struct Items<'a, 'r> {
    list: At<'a, 'r>,
    items: std::iter::Enumerate<std::slice::Iter<'a, Node>>,
}

/// The entries of a table.
pub(super) struct Entries<'a, 'r> {
    table: At<'a, 'r>,
    members: std::vec::IntoIter<&'a Member>,
    /// The one whose value is read next.
    member: Option<&'a Member>,
}

impl<'a, 'r> Items<'a, 'r> {
    pub(super) fn new(list: At<'a, 'r>, items: &'a [Node]) -> Self {
        Self {
            list,
            items: items.iter().enumerate(),
        }
    }
}

impl<'a, 'r> Entries<'a, 'r> {
    pub(super) fn new(table: At<'a, 'r>, members: Vec<&'a Member>) -> Self {
        Self {
            table,
            members: members.into_iter(),
            member: None,
        }
    }
}

impl<'de, 'a: 'de> SeqAccess<'de> for Items<'a, '_> {
    type Error = ValueError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ValueError> {
        for (number, node) in self.items.by_ref() {
            let item = self.list.item(number, node);
            if self.list.notes.is_left_out(&item.key) {
                continue;
            }
            let read = seed.deserialize(item.clone());
            return read.map(Some).map_err(|wrong| wrong.at(&item));
        }
        Ok(None)
    }
}

impl<'de, 'a: 'de> MapAccess<'de> for Entries<'a, '_> {
    type Error = ValueError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ValueError> {
        for member in self.members.by_ref() {
            let key = below(&self.table.key, &member.name);
            if self.table.notes.is_left_out(&key) || member.node.is_null() {
                continue;
            }
            if let Some(why) = names::problem(self.table.form, &member.name) {
                return Err(self
                    .table
                    .wrong_name(member, ValueMistake::Else(why.to_owned())));
            }
            self.member = Some(member);
            let name = StrDeserializer::<ValueError>::new(&member.name);
            let read = seed.deserialize(name).map(Some);
            return read.map_err(|wrong| match wrong.known {
                Some(known) => self.table.unknown(member, known),
                None => self.table.wrong_name(member, wrong.what.unquoted()),
            });
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, ValueError> {
        let Some(member) = self.member.take() else {
            return Err(self.table.wrong("this has a value without a key"));
        };
        let value = self.table.member(member);
        let read = seed.deserialize(value.clone());
        read.map_err(|wrong| wrong.at(&value))
    }
}
