/** JSON text of the MCP content format: one text block. */
export function textContent(text: string): string {
  return `[{"type":"text","text":${JSON.stringify(text)}}]`;
}
