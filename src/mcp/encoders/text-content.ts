export interface TextContent {
  content: [{ type: 'text'; text: string }];
}

/** The MCP content format: one text block. */
export function textContent(text: string): TextContent {
  return { content: [{ type: 'text', text }] };
}
