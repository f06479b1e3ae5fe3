// Runs a build whose tools differ from the tools of the test: `node changed-build.mjs start | check`. This file is not
// compiled, so it calls decorators as functions.
import { Injectable, Module } from '@nestjs/common';
import { IsOptional, IsString } from 'class-validator';
import { checkWorkflows, startSwitchboard, Tool } from '../../../dist/src/bootstrap/platform.js';

const [, , what] = process.argv;

class OrderInput {}
IsString()(OrderInput.prototype, 'item');
IsOptional()(OrderInput.prototype, 'note');
IsString()(OrderInput.prototype, 'note');
IsString()(OrderInput.prototype, 'currency');

class OrderResult {}
IsString()(OrderResult.prototype, 'number');

class TeamTools {
  async order() {
    return { number: 'N1' };
  }
}
Injectable()(TeamTools);
Tool({
  name: 'team_order',
  title: 'Order',
  description: 'Orders something.',
  input: OrderInput,
  output: OrderResult,
})(TeamTools.prototype, 'order', Object.getOwnPropertyDescriptor(TeamTools.prototype, 'order'));

class TeamModule {}
Module({ providers: [TeamTools] })(TeamModule);

process.argv.splice(2);
const extensions = { modules: [TeamModule] };
if (what === 'start') await startSwitchboard(extensions);
else await checkWorkflows(extensions);
