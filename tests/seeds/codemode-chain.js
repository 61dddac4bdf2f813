async () => {
  const document = await codemode.getDocument({ documentId: "call-17" });
  const history = await codemode.getChannelHistory({ channel: "C042" });
  if (history.length > 0) {
    await codemode.createIssue({ repo: "acme/shop", title: document.title, body: history[0].text });
  }
  return { title: document.title, messages: history.length };
}
