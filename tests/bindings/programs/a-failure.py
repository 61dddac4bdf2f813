print('before')
await host.fail(message='the shop is closed')
