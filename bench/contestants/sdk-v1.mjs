// Runs the official SDK, generation 1: stateless Streamable HTTP on Express, like its example, with JSON responses.
// `--low-level` uses its Server class with hand-written handlers instead of McpServer.
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
import { handlerOf } from './search.mjs';
import { announce, ECHO, listen, readTools, SEARCH } from './serve.mjs';

const INFO = { name: 'bench', version: '1.0.0' };
const tools = readTools();
const schemas = tools.map(({ inputSchema, outputSchema }) => ({
  inputSchema: z.fromJSONSchema(inputSchema),
  outputSchema: z.fromJSONSchema(outputSchema),
}));
/** The input schema and function of each tool that the contests call, for the Server class. */
const called = new Map(
  [ECHO, SEARCH].map((name) => {
    const index = tools.findIndex((tool) => tool.name === name);
    return [name, { input: schemas[index].inputSchema, handle: handlerOf(name) }];
  }),
);

function highLevel() {
  const server = new McpServer(INFO);
  for (const [index, { name, title, description, annotations }] of tools.entries()) {
    const config = { title, description, annotations, ...schemas[index] };
    server.registerTool(name, config, handlerOf(name));
  }
  return server;
}

function lowLevel() {
  const server = new Server(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = called.get(params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, 'Unknown tool');
    const given = tool.input.safeParse(params.arguments);
    if (!given.success) throw new McpError(ErrorCode.InvalidParams, given.error.message);
    return tool.handle(given.data);
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
