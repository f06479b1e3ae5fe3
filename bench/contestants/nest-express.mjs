// Runs a plain Nest controller on Express with pg, without API keys and limits.
import 'reflect-metadata';
import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { answerBody } from './bare-answer.mjs';
import { decorate } from './decorate.mjs';
import { announce } from './serve.mjs';

class RpcController {
  handle(body) {
    return answerBody(body);
  }
}
decorate(RpcController, [Controller('rpc')], {
  handle: { decorators: [Post(), HttpCode(200)], parameters: [Body()], types: [Object] },
});

class BareModule {}
decorate(BareModule, [Module({ controllers: [RpcController] })]);

const app = await NestFactory.create(BareModule, { logger: false });
await app.listen(0, '127.0.0.1');
announce({ url: `http://127.0.0.1:${app.getHttpServer().address().port}/rpc` });
