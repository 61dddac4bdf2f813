document = await codemode.get_document(documentId="call-17")
issues = await codemode.search_issues(project="SHOP", status="open")
for issue in issues:
    await codemode.create_issue(repo="acme/shop", title=issue["title"], body=document["title"])
print(f"{len(issues)} issues")
