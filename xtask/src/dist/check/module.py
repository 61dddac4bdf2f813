# What somebody does first with the module, and needs nothing else for than the wheel.
import pyampoule, asyncio, importlib.util, pathlib

assert importlib.util.find_spec("pytest") is None
assert pathlib.Path(pyampoule.__file__).with_name("py.typed").exists()

@pyampoule.tool
async def add(a: int, b: int) -> int:
    """Adds."""
    return a + b

def double(n: int) -> int:
    return 2 * n

with pyampoule.Runtime() as runtime:
    for language, code in [
        ("typescript", "return await host.double({ n: await host.add({ a: 20, b: 1 }) })"),
        ("python", "return await host.double(n=await host.add(a=20, b=1))"),
    ]:
        outcome = asyncio.run(runtime.run_async(code, language=language, tools=[add, double]))
        assert outcome.result(int) == 42, outcome
        print(language)
