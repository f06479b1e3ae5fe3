#!/usr/bin/env node
// This file and everything it imports load neither Nest nor TypeORM, because the command must start quickly.
import { readCommandLineSettings } from '../config/command-line-settings.js';
import { SERVER_INFO } from '../mcp/server-info.js';
import { callFile } from './call-file.js';
import { callOnce } from './call-once.js';
import { type Command, parseCommand } from './command-arguments.js';
import { CommandError } from './command-error.js';
import { runDoctor } from './doctor.js';
import { assertKey } from './given-key.js';
import { HELP } from './help.js';
import { createModule } from './new-module.js';
import { isUnencrypted, parseAddress } from './service-address.js';
import { ServiceClient } from './service-client.js';
import { processTerminal, type Terminal } from './terminal.js';
import { assertCallable, printTool, printTools } from './tool-list.js';

const NOT_FINISHED = 2;

async function run(command: Command, terminal: Terminal): Promise<number> {
  if (command.name === 'help') {
    terminal.print(HELP.trimEnd());
    return 0;
  }
  if (command.name === 'version') {
    terminal.print(SERVER_INFO.version);
    return 0;
  }
  const settings = readCommandLineSettings();
  const address = parseAddress(command.url ?? settings.url);
  const client = new ServiceClient(address, settings.key);
  try {
    if (command.name === 'doctor') return await runDoctor(client, settings.key, terminal);
    assertKey(settings.key);
    if (isUnencrypted(address)) {
      terminal.report('Warning: the key is sent without encryption. Use https://.');
    }
    return await runWithKey(command, client, terminal);
  } finally {
    client.close();
  }
}

async function runWithKey(
  command: Extract<Command, { name: 'tools' | 'call' | 'call-rows' }>,
  client: ServiceClient,
  terminal: Terminal,
): Promise<number> {
  switch (command.name) {
    case 'tools':
      return command.tool === undefined
        ? await printTools(client, terminal)
        : await printTool(client, terminal, command.tool);
    case 'call':
      return await callOnce(client, terminal, command);
    case 'call-rows':
      await assertCallable(client, command.tool);
      return await callFile(client, terminal, { ...command, keyPrefix: command.idempotencyKey });
  }
}

const terminal = processTerminal();
try {
  const [first, ...rest] = process.argv.slice(2);
  process.exitCode =
    first === 'new'
      ? await createModule(rest)
      : await run(parseCommand(process.argv.slice(2)), terminal);
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  terminal.report(error.message);
  process.exitCode = NOT_FINISHED;
}
