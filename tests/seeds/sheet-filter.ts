import * as gdrive from './servers/google-drive';

const rows = await gdrive.getSheet({ sheetId: 'orders' });
const overdue = rows.filter(row => row['Status'] === 'overdue');
console.log(`${overdue.length} of ${rows.length} orders are overdue`);
console.log(overdue.slice(0, 2));
