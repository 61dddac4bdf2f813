class Overdue extends Error {}
Overdue.prototype.name = 'Overdue';

throw new Overdue('by 3 days');
