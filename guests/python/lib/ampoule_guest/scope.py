"""The servers that code names without more: `github.create_issue()` and `mcp_github.create_issue()`."""

from .own import __builtins__

import builtins
from opcode import opmap
from types import CodeType

import _ampoule

from . import modes
from .tools import SURFACES, Proxy, Server, proxies, server_of, tools

LOAD_NAME, LOAD_GLOBAL, PUSH_NULL = opmap["LOAD_NAME"], opmap["LOAD_GLOBAL"], opmap["PUSH_NULL"]

# What loads a name that is not local, by the opcode; and how much of the argument is not the name's number.
LOADS = {LOAD_NAME: 0, LOAD_GLOBAL: 1}
if "LOAD_FROM_DICT_OR_GLOBALS" in opmap:
    LOADS[opmap["LOAD_FROM_DICT_OR_GLOBALS"]] = 0
STORES = {opmap["STORE_NAME"]: 0, opmap["STORE_GLOBAL"]: 0}
EXTENDED = opmap["EXTENDED_ARG"]

# Before the name of a server, as the bridges have it.
PREFIX = "mcp_"

# What stands for servers.
GRANTED = frozenset({Server, Proxy, type(tools)})


def free_names(codes):
    """The names that codes use without binding them."""
    loaded, stored = set(), set()
    rest = list(codes)
    while rest:
        code = rest.pop()
        if code.co_names:
            loaded |= names_of(LOADS, code)
            stored |= names_of(STORES, code)
        for constant in code.co_consts:
            if type(constant) is CodeType:
                rest.append(constant)
    return loaded - stored


def is_called(name, codes):
    """Whether codes call what has a name that is not local."""
    rest = list(codes)
    while rest:
        code = rest.pop()
        rest += [constant for constant in code.co_consts if type(constant) is CodeType]
        if name not in code.co_names:
            continue
        number, text = code.co_names.index(name), code.co_code
        operations = text[::2]
        for opcode, shift in LOADS.items():
            at = operations.find(opcode)
            while at >= 0:
                argument = text[2 * at + 1]
                if at and operations[at - 1] == EXTENDED:
                    argument |= text[2 * at - 1] << 8
                if argument >> shift == number and is_call(opcode, argument, operations, at):
                    return True
                at = operations.find(opcode, at + 1)
    return False


def is_call(opcode, argument, operations, at):
    """Whether what an instruction loads is called: room is made for its object."""
    if opcode == LOAD_GLOBAL:
        return argument & 1 == 1
    # Caches are instructions, too.
    following = operations[at + 1 : at + 2]
    return following == bytes((PUSH_NULL,))


def stored_names(codes):
    """The global names that codes bind."""
    stored = set()
    rest = list(codes)
    while rest:
        code = rest.pop()
        stored |= names_of(STORES, code)
        rest += [constant for constant in code.co_consts if type(constant) is CodeType]
    return stored


def names_in(codes):
    """The names that codes have of anything but their own variables; of modules that they import, the first part."""
    found = set()
    for code in with_inner(codes):
        found.update(name.partition(".")[0] for name in code.co_names)
    return found


def has_functions(codes):
    """Whether codes make functions or classes."""
    return any(code.co_name != "<genexpr>" for code in with_inner(codes)[len(codes) :])


def with_inner(codes):
    """Codes, and those in them."""
    rest = list(codes)
    for code in rest:
        rest += [constant for constant in code.co_consts if type(constant) is CodeType]
    return rest


def names_of(opcodes, code):
    """The names that instructions of code have."""
    found = set()
    names = code.co_names
    text = code.co_code
    operations = text[::2]
    for opcode, shift in opcodes.items():
        at = operations.find(opcode)
        while at >= 0:
            number = text[2 * at + 1]
            if at and operations[at - 1] == EXTENDED:
                number |= text[2 * at - 1] << 8
            found.add(names[number >> shift])
            at = operations.find(opcode, at + 1)
    return found


def uses_its_functions(codes):
    """Whether code at its top names one of the functions that it defines, if it defines any."""
    defined = {inner.co_name for code in codes for inner in code.co_consts if type(inner) is CodeType and inner.co_name[0] != "<"}
    return not defined or any(defined & names_of(LOADS, code) for code in codes)


def define(codes, namespace):
    """Defines the servers that codes name. Gives whether they name any, or what may have some."""
    names_granted = False
    free = free_names(codes)
    if not free:
        return names_granted
    known = builtins.__dict__
    for name in free:
        if name in namespace or name in known:
            names_granted = names_granted or type(namespace.get(name, known.get(name))) in GRANTED
        elif name[:2] != "__":
            found = value_of(name, codes)
            if found is not None:
                namespace[name] = found
                names_granted = True
    return names_granted


def value_of(name, codes):
    """What a free name stands for; None if for nothing of the grant."""
    if name == "mcp_servers":
        return proxies()
    if name == "LOADED_MCP_SERVERS":
        return tuple(tools)
    if name == "mcp":
        import mcp

        return mcp
    if name.startswith(PREFIX):
        try:
            return server_of(_ampoule.server_name(name[len(PREFIX):]), Proxy)
        except _ampoule.UnknownName:
            pass
    try:
        return server_of(_ampoule.server_name(name), Server)
    except _ampoule.UnknownName:
        found = SURFACES.get(name)
        if found is not None:
            return found
        return modes.value_of(name, name in modes.FUNCTIONS and is_called(name, codes))
