"""Values of numpy and pandas as JSON.

- numbers, truth values and texts of numpy: those of Python, exactly; NaN and infinities: null
- arrays, indexes and other columns: lists, with null for what is masked; arrays with named fields: lists of objects
- `Timestamp`: ISO texts; `NaT` and `NA`: null; `Timedelta`, `Period`, `Interval`: their texts
- a `Series`: a list; with labels, an object; with labels of several levels, or the same one twice, a list of objects
- a `DataFrame`: a list of objects, one for each row, its labels among them if it has some

Labels that only count the rows are left out. In arguments of tools, numbers as labels are, too: `tool(ids=rows[rows.sold > 3].id)` sends a list.
"""

from ampoule_guest.own import __builtins__

import numpy
import pandas
from pandas.api.extensions import ExtensionArray

from ampoule_guest.result import ArgumentsEncoder, Encoder, text_of_key

# What labels are called that have no name, and what values are.
LABEL, VALUE = "index", "value"

# The kinds of numpy's types whose values Python has, and JSON.
EXACT = frozenset("biuUS")

# What `ampoule_guest` makes of everything else.
_others = Encoder.converted


def converted(encoder, value):
    """What stands for a value that JSON does not have."""
    if isinstance(value, numpy.generic):
        return of_scalar(value)
    if value is pandas.NaT or value is pandas.NA:
        return None
    if isinstance(value, numpy.ndarray):
        return of_array(value)
    if isinstance(value, pandas.MultiIndex):
        return value.tolist()
    if isinstance(value, (pandas.Index, ExtensionArray)):
        return of_column(pandas.Series(value))
    if isinstance(value, pandas.Series):
        return of_series(value, isinstance(encoder, ArgumentsEncoder))
    if isinstance(value, pandas.DataFrame):
        return of_frame(value, isinstance(encoder, ArgumentsEncoder))
    return _others(encoder, value)


def of_scalar(value):
    """What one value of an array is."""
    kind = value.dtype.kind
    if kind == "M":
        return without_missing(pandas.Timestamp(value))
    if kind == "m":
        return without_missing(pandas.Timedelta(value))
    if kind == "V" and value.dtype.names:
        return dict(zip(value.dtype.names, value.item()))
    plain = value.item()
    # `longdouble` has no type in Python.
    return float(plain) if isinstance(plain, numpy.generic) else plain


def of_array(array):
    """An array as a list, or as the one value that it has."""
    if array.ndim == 0:
        # A masked value is an array of one number, which is not its value.
        if array[()] is numpy.ma.masked:
            return None
        return without_missing(array.item()) if array.dtype.kind == "O" else of_scalar(array[()])
    kind = array.dtype.kind
    if kind in EXACT:
        return array.tolist()
    if array.ndim > 1 or kind == "V":
        return [of_scalar(one) if isinstance(one, numpy.void) else of_array(one) for one in array]
    return of_column(pandas.Series(array))


def of_column(column):
    """The values of a column."""
    kind = column.dtype.kind
    if kind in EXACT:
        return column.tolist()
    if kind == "f" and isinstance(column.dtype, numpy.dtype):
        numbers = column.to_numpy(dtype=float)
        listed, is_number = numbers.tolist(), numpy.isfinite(numbers)
        return listed if is_number.all() else [number if known else None for number, known in zip(listed, is_number.tolist())]
    return [without_missing(value) for value in column.tolist()]


def without_missing(value):
    """A value, or nothing in the place of what says that there is none."""
    if value is pandas.NaT or value is pandas.NA or (isinstance(value, float) and value != value):
        return None
    return value


def of_series(series, is_argument):
    """A list of the values, or an object where they have labels."""
    labels = series.index
    if counts(labels) or (is_argument and only_numbers(labels)):
        return of_column(series)
    if labels.nlevels > 1 or not labels.is_unique:
        name = VALUE if series.name is None else series.name
        return of_frame(pandas.DataFrame({name: series}), is_argument)
    return dict(zip(map(text_of_key, of_column(labels.to_series())), of_column(series)))


def of_frame(frame, is_argument):
    """An object for each row."""
    names = [text_of_key(name) for name in frame.columns.tolist()]
    columns = [of_column(frame.iloc[:, at]) for at in range(len(names))]
    labels = frame.index
    if not counts(labels) and not (is_argument and only_numbers(labels)):
        levels = [labels.get_level_values(at) for at in range(labels.nlevels)]
        names[:0] = [label_of(level.name, at, len(levels)) for at, level in enumerate(levels)]
        columns[:0] = [of_column(level.to_series()) for level in levels]
    names = once_each(names)
    if not columns:
        return [{} for _ in range(len(frame))]
    return [dict(zip(names, row)) for row in zip(*columns)]


def counts(labels):
    """Whether labels only count the rows."""
    return isinstance(labels, pandas.RangeIndex) and labels.name is None and labels.start == 0 and labels.step == 1


def only_numbers(labels):
    """Whether labels are the numbers of rows that are left of others."""
    return labels.nlevels == 1 and labels.name is None and labels.dtype.kind in "iu"


def label_of(name, at, levels):
    if name is not None:
        return text_of_key(name)
    return LABEL if levels == 1 else f"level_{at}"


def once_each(names):
    """Names of which no two are the same, as pandas tells columns of a file apart."""
    taken, made = set(), []
    for name in names:
        one, number = name, 0
        while one in taken:
            number += 1
            one = f"{name}.{number}"
        taken.add(one)
        made.append(one)
    return made


def install():
    """Has `ampoule_guest` write these values."""
    Encoder.converted = converted
