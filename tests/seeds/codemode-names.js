async () => {
  const issues = await codemode.search_issues({ project: "SHOP", status: "open" });
  const results = await Promise.all(issues.map((issue) => codemode.get_issue({ id: issue.id })));
  return results.map((issue) => issue.description);
}
