// Shows the cost of the stack: a plain Nest controller on Express that uses pg like the plain server.
import 'reflect-metadata';
import { Controller, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { decorate } from '../decorate.mjs';
import { announce } from '../serve.mjs';
import { answer, insertRun, openPool } from './webhook-server.mjs';

const pool = openPool();

class WebhookController {
  async accept(request, response) {
    const signature = request.headers['x-webhook-signature'];
    const insert = (_payload, bytes) => insertRun(pool, bytes);
    const [status, value] = await answer(insert, signature, request.rawBody);
    response.status(status);
    return value;
  }
}
decorate(WebhookController, [Controller('webhook')], {
  accept: {
    decorators: [Post()],
    parameters: [Req(), Res({ passthrough: true })],
    types: [Object, Object],
  },
});

class BareModule {}
decorate(BareModule, [Module({ controllers: [WebhookController] })]);

const app = await NestFactory.create(BareModule, { logger: false, rawBody: true });
await app.listen(0, '127.0.0.1');
announce({ url: `http://127.0.0.1:${app.getHttpServer().address().port}/webhook` });
