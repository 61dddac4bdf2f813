await tools.test_tools.text(bytes=2000)
