// Runs MCP-Nest on Nest and Express, without state and without guards, for both eras of MCP.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, Payload } from '@nestjs/microservices';
import { McpController, McpStrategy, StreamableHttpTransport, Tool } from '@rekog/mcp-nest';
import { decorate } from './decorate.mjs';
import { handlerOf } from './search.mjs';
import { announce, readTools } from './serve.mjs';

class BenchController {}
const methods = {};
for (const { name, title, description, inputSchema, outputSchema, annotations } of readTools()) {
  Object.defineProperty(BenchController.prototype, name, {
    value: handlerOf(name),
    configurable: true,
    writable: true,
  });
  methods[name] = {
    decorators: [
      Tool({
        name,
        description,
        parameters: inputSchema,
        outputSchema,
        annotations: { title, ...annotations },
      }),
    ],
    parameters: [Payload(), Ctx()],
    types: [Object, Object],
  };
}
decorate(BenchController, [McpController()], methods);

class BenchModule {}
decorate(BenchModule, [Module({ controllers: [BenchController] })]);

const strategy = new McpStrategy({
  name: 'bench',
  version: '1.0.0',
  transports: [new StreamableHttpTransport({ responseMode: 'json' })],
});
const app = await NestFactory.create(BenchModule, { logger: false });
strategy.setHttpAdapter(app.getHttpAdapter());
app.connectMicroservice({ strategy });
await app.startAllMicroservices();
await app.listen(0, '127.0.0.1');
announce({ url: `http://127.0.0.1:${app.getHttpServer().address().port}/mcp` });
