# tools.server

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

HostileArgs = TypedDict("HostileArgs", {
    # */ evil(); /*
    "ends": NotRequired[str],
    # a **/ b * / c
    "stars": NotRequired[str],
    # one
    # two
    # three
    # four
    # five
    "lines": NotRequired[str],
    # safeEVIL x
    "bidi": NotRequired[str],
    # hi!
    "tags": NotRequired[str],
    # ab[31mred
    "controls": NotRequired[str],
    # abc 👨‍👩‍👧
    "zero": NotRequired[str],
    # default: "a\u202eb\u0000c*/d"
    "default": NotRequired[str],
    "value": NotRequired[Literal["\U0000202e", "*/", "</script>"]],
    # matches /.*/ ///
    "pattern": NotRequired[str],
    # """ ''' ` ${x} \
    "quotes": NotRequired[str],
    "name*/\U00002028": NotRequired[str],
})

async def hostile(args: HostileArgs = ...) -> Untyped:
    """Tool */ text
     */ again
    Arguments: Args */ too
    """
