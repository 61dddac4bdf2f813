class Overdue(Exception):
    pass

raise Overdue('by 3 days')
