import { GoogleDriveTools } from '~/.mcp/wrappers/google-drive';
import { SalesforceTools } from '~/.mcp/wrappers/salesforce';

async function main() {
  const drive = new GoogleDriveTools();
  const crm = new SalesforceTools();
  const document = await drive.getDocument('call-17');
  const updated = await crm.updateRecord({ objectType: 'Account', recordId: '001-ACME', data: { Title: document.title } });
  return { updated: updated.success, title: document.title };
}

return await main();
