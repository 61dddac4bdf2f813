import * as gdrive from './servers/google-drive';
import * as salesforce from './servers/salesforce';

const sheet = await gdrive.getSheet({ sheetId: 'orders' });
for (const row of sheet) {
  await salesforce.updateRecord({
    objectType: 'Order',
    recordId: row.Id,
    data: {
      Status: row.Status,
      Email: row.Email
    }
  });
}
console.log(`Updated ${sheet.length} records`);
