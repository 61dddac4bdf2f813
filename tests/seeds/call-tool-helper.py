async def update_record(object_type, record_id, data):
    return await call_tool("salesforce", "update_record", {"objectType": object_type, "recordId": record_id, "data": data})

document = await call_tool("google-drive", "get_document", {"documentId": "call-17"})
updated = await update_record("Account", "001-ACME", {"Title": document["title"]})
print("Updated" if updated["success"] else "Not updated")
