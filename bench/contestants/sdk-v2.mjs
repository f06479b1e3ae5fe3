// Runs the official SDK, generation 2, on node:http. It uses the handler of the SDK for 2026-07-28. For 2025-11-25, it
// uses the stateless transport that the README of the SDK shows, with JSON responses. This transport is faster than the
// fallback of the handler.
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { handlerOf } from './search.mjs';
import { announce, listen, readTools } from './serve.mjs';

const tools = readTools().map((tool) => ({
  ...tool,
  inputSchema: fromJsonSchema(tool.inputSchema),
  outputSchema: fromJsonSchema(tool.outputSchema),
}));

function create() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const { name, ...config } of tools) {
    server.registerTool(name, config, handlerOf(name));
  }
  return server;
}

const modern = toNodeHandler(createMcpHandler(create, { legacy: 'reject', responseMode: 'json' }));

async function legacy(request, response) {
  const server = create();
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  response.on('close', () => {
    void transport.close();
    void server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

const server = createServer((request, response) =>
  request.headers['mcp-protocol-version'] === '2025-11-25'
    ? legacy(request, response)
    : modern(request, response),
);
announce({ url: `${await listen(server)}/mcp` });
