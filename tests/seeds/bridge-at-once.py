import asyncio

server = mcp_servers['jira']
issues = await server.search_issues(project='SHOP', status='open')
tasks = [
    mcp_jira.get_issue(id=issue.id)
    for issue in issues
]
results = await asyncio.gather(*tasks)

try:
    await mcp_jira.get_issue(id='SHOP-404')
except Exception as e:
    print(f"Not found: {e}")

print([result.description for result in results])
