return len(await tools.test_tools.text(bytes=100_000))
