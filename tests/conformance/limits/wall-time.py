print('before')
await tools.test_tools.hang()
