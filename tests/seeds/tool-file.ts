import { callMCPTool } from "../../../client.js";

interface GetDocumentInput {
  documentId: string;
}

interface GetDocumentResponse {
  title: string;
  content: string;
}

/* Reads a document */
export async function getDocument(input: GetDocumentInput): Promise<GetDocumentResponse> {
  return callMCPTool<GetDocumentResponse>('google_drive__get_document', input);
}

const { title, content } = await getDocument({ documentId: 'call-17' });
console.log(title, content.length);
