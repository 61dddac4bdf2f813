import * as gdrive from './servers/google-drive';
import * as salesforce from './servers/salesforce';

// The notes of the call go from the document to the account, and not through the model.
const notes = (await gdrive.getDocument({ documentId: 'call-17' })).content;
await salesforce.updateRecord({
  objectType: 'Account',
  recordId: '001-ACME',
  data: { Notes: notes }
});
