tools.test_tools.hang()
return 'done'
