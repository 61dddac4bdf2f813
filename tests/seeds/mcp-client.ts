import { mcpClient } from "../client";

const document = await mcpClient.callTool({
  name: 'get_document',
  arguments: { documentId: 'call-17' },
});
await mcpClient.callTool({
  name: 'update_record',
  arguments: { objectType: 'Account', recordId: '001-ACME', data: { Notes: document.content } },
});
