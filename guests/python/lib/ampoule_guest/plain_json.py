"""The module `json`, faster for what is plain: native code reads and writes the types that JSON has. Whatever is not plain, and every fault, is left to CPython's
own code, which begins anew; no code of a script has run by then."""

from .own import __builtins__

import json
from json import decoder, encoder, scanner
from json.encoder import c_encode_basestring, c_encode_basestring_ascii, c_make_encoder
from json.scanner import c_make_scanner

from _ampoule import read_json, write_json


def make_scanner(context):
    """What reads a value, as a decoder wants it. One with hooks of its own has CPython's."""
    full = c_make_scanner(context)
    hooks = full.object_hook, full.object_pairs_hook
    if hooks != (None, None) or full.parse_int is not int or full.parse_float is not float or not full.strict:
        return full

    def scan_once(string, idx):
        return read_json(string, idx, dict) or full(string, idx)

    return scan_once


def make_encoder(markers, default, encoder, indent, key_separator, item_separator, sort_keys, skipkeys, allow_nan):
    """What writes a value, as an encoder wants it."""
    full = c_make_encoder(markers, default, encoder, indent, key_separator, item_separator, sort_keys, skipkeys, allow_nan)
    is_ascii = encoder is c_encode_basestring_ascii
    texts = (key_separator, item_separator) if indent is None else (key_separator, item_separator, indent)
    is_plain = is_ascii or encoder is c_encode_basestring
    if not is_plain or not all(type(text) is str and text.isascii() for text in texts):
        return full
    has_nan = bool(allow_nan)

    def encode(obj, _current_indent_level):
        if _current_indent_level == 0:
            text = write_json(obj, is_ascii, item_separator, key_separator, indent, full.sort_keys, has_nan)
            if text is not None:
                return (text,)
        return full(obj, _current_indent_level)

    return encode


def install():
    """Makes `json` use it, before the snapshot."""
    scanner.make_scanner = make_scanner
    encoder.c_make_encoder = make_encoder
    json._default_decoder = decoder.JSONDecoder()
