// The official SDK, generation 1: stateless Streamable HTTP on Express, as its own example has it, with JSON answers.
// `--low-level` takes its Server class with hand-written handlers instead of McpServer.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import express from 'express';
import { createServer } from 'node:http';
import { z } from 'zod';
import { announce, ECHO, echo, listen, readTools } from './serve.mjs';

const INFO = { name: 'bench', version: '1.0.0' };
const tools = readTools();
const schemas = tools.map(({ inputSchema, outputSchema }) => ({
  inputSchema: z.fromJSONSchema(inputSchema),
  outputSchema: z.fromJSONSchema(outputSchema),
}));
const echoInput = schemas[tools.findIndex((tool) => tool.name === ECHO)].inputSchema;

function highLevel() {
  const server = new McpServer(INFO);
  for (const [index, { name, title, description, annotations }] of tools.entries()) {
    server.registerTool(
      name,
      { title, description, annotations, ...schemas[index] },
      async ({ text }) => echo(text),
    );
  }
  return server;
}

function lowLevel() {
  const server = new Server(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name !== ECHO) throw new McpError(ErrorCode.InvalidParams, 'Unknown tool');
    const given = echoInput.safeParse(params.arguments);
    if (!given.success) throw new McpError(ErrorCode.InvalidParams, given.error.message);
    return echo(given.data.text);
  });
  return server;
}

const create = process.argv.includes('--low-level') ? lowLevel : highLevel;
const app = express();
app.use(express.json());
app.post('/mcp', async (request, response) => {
  const server = create();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  response.on('close', () => {
    void transport.close();
    void server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
announce({ url: `${await listen(createServer(app))}/mcp` });
