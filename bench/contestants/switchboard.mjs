// Runs Switchboard as in production, with the tool that the contests call:
//   node switchboard.mjs [ADDITIONAL TOOLS] [PREPARATION]
// The preparation is a module in `mail/` that adds what the e-mails of a contest need.
import { createRequire } from 'node:module';
import { announce, ECHO } from './serve.mjs';

// A plain import in this folder would load the packages of the peers instead of the packages of Switchboard.
const require = createRequire(new URL('../../package.json', import.meta.url));
require('reflect-metadata');
const { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } = require('class-validator');
const dist = (path) => import(new URL(`../../dist/src/${path}`, import.meta.url));
const { AppModule } = await dist('bootstrap/app.module.js');
const { AccountsService } = await dist('accounts/accounts.service.js');
const { loadEnv } = await dist('config/load-env.js');
const { prepareDatabase } = await dist('database/setup/prepare-database.js');
const { createHttpApplication } = await dist('bootstrap/create-http-application.js');
const { KeysService } = await dist('keys/keys.service.js');
const { PinoLogger } = await dist('operations/pino-logger.js');
const { tuneV8Soon } = await dist('operations/tune-v8.js');
const { Doc } = await dist('tools/schema/doc.decorator.js');
const { Tool } = await dist('tools/contract/tool.decorator.js');

const env = loadEnv({ ...process.env, HOST: '127.0.0.1', PORT: process.env.PORT ?? '0' });
const fail = (error) => process.stderr.write(`${error.stack}\n`);
const access = await prepareDatabase(env.databaseUrl, { waitMs: 30_000, log: () => undefined });
const providers = toolsOf(Number(process.argv[2] ?? 0));
const began = performance.now();
const app = await createHttpApplication(
  AppModule.forRoot({ env, access, onDatabaseError: fail, providers }),
  new PinoLogger(env),
);
await app.listen(env.port, env.host);
const bootMs = performance.now() - began;
const { organizationId, userId } = await app.get(AccountsService).signUp({
  email: `bench.${process.pid}.${Date.now()}@example.com`,
  password: 'correct horse battery staple',
  organization_name: 'Bench',
});
const preparation = process.argv[3];
if (preparation) {
  const { prepare } = await import(`./mail/${preparation}.mjs`);
  await prepare({ app, dist, organizationId, userId });
}
announce({
  url: `http://127.0.0.1:${app.getHttpServer().address().port}/api/mcp`,
  bootMs,
  organizationId,
  key: await app.get(KeysService).create(organizationId, userId),
});
process.once('SIGTERM', () => void app.close().then(() => process.exit(0), fail));
// In production, startSwitchboard makes this call.
tuneV8Soon();

function toolsOf(more) {
  return [echoTool(), ...Array.from({ length: more }, (_, index) => generatedTool(index))];
}

function echoTool() {
  class EchoInput {}
  apply(EchoInput, 'text', IsString(), Length(0, 1000), Doc('What to say again.'));
  class EchoResult {}
  apply(EchoResult, 'text', IsString());
  class EchoTools {
    async echo({ text }) {
      return { text };
    }
  }
  declare(EchoTools, 'echo', {
    name: ECHO,
    title: 'Echo',
    description: 'Says the text again.',
    input: EchoInput,
    output: EchoResult,
    readOnly: true,
  });
  return EchoTools;
}

/** Returns a tool of the size of a built-in tool, with separate input and output classes. */
function generatedTool(index) {
  class Input {}
  apply(Input, 'id', IsString(), Length(1, 64), Doc('Id of the thing, such as thi_….'));
  apply(Input, 'kind', IsOptional(), IsIn(['one', 'other']), Doc('Which kind of thing it is.'));
  apply(Input, 'limit', IsOptional(), IsInt(), Min(1), Max(100), Doc('How many to return.'));
  apply(Input, 'note', IsOptional(), IsString(), Length(0, 1000), Doc('Free text about it.'));
  class Result {}
  apply(Result, 'id', IsString());
  apply(Result, 'count', IsInt());
  class GeneratedTools {
    async run({ id }) {
      return { id, count: index };
    }
  }
  declare(GeneratedTools, 'run', {
    name: `generated_${index}`,
    title: `Generated ${index}`,
    description: 'Stands for a tool that a team has added, with a description of a usual length.',
    input: Input,
    output: Result,
    readOnly: true,
  });
  return GeneratedTools;
}

function apply(type, property, ...decorators) {
  for (const decorator of decorators.toReversed()) decorator(type.prototype, property);
}

function declare(type, method, options) {
  const descriptor = Object.getOwnPropertyDescriptor(type.prototype, method);
  Tool(options)(type.prototype, method, descriptor);
}
