# Extract
transcript = await mcp_google_drive.get_document(documentId='call-17')

# Transform
summary = transcript.content[:9] + "..."

# Load
await mcp_salesforce.update_record(
    objectType='Account',
    recordId='001-ACME',
    data={'Notes': summary}
)
print(f"Wrote {len(summary)} characters")
