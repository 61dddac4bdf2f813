files = await mcp_filesystem.list_directory(path='/srv')

for file in files:
    content = await mcp_filesystem.read_file(path=file)
    if 'FIXME' in content:
        print(f"FIXME in {file}")
