try:
    while True:
        await tools.test_tools.add(a=1, b=1)
except BaseException:
    result = 'caught'
finally:
    print('finally')
