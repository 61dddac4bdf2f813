issues = await mcp_jira.search_issues(project='SHOP', status='open')

for issue in issues:
    details = await mcp_jira.get_issue(id=issue.id)

    if 'crash' in details.description.lower():
        await mcp_github.create_issue(
            repo='acme/shop',
            title=f"Crash: {issue.title}",
            body=details.description
        )
