import { callTool } from './client';

interface UpdateRecordInput {
  objectType: string;
  recordId: string;
  data: Record<string, unknown>;
}

async function updateRecord(input: UpdateRecordInput) {
  return callTool<{ success: boolean }>('salesforce', 'update_record', input);
}

const document = await callTool('google-drive.get_document', { documentId: 'call-17' });
const { success } = await updateRecord({
  objectType: 'Account',
  recordId: '001-ACME',
  data: { Title: document.title },
});
console.log(success ? 'Updated' : 'Not updated');
