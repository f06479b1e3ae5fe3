import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProviderServer, startTwilio } from '../messaging/provider-server.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { type Block, ShortenedIds, blocksOf } from './support/walk-through.js';

// With UPDATE_DOCS=1, this test replaces the answers on the page by the real answers.
const PAGE = resolve(import.meta.dirname, '../../docs/messaging.md');
const isUpdate = process.env.UPDATE_DOCS === '1';

let switchboard: Switchboard;
let twilio: ProviderServer;
let acme: TestOrganization;
let folder: string;
beforeAll(async () => {
  twilio = await startTwilio();
  switchboard = await startSwitchboard({ env: { OUTBOUND_ALLOW: `127.0.0.1:${twilio.port}` } });
  acme = await createOrganization(switchboard);
  folder = await mkdtemp(join(tmpdir(), 'walk-through-'));
});
afterAll(async () => {
  await switchboard.close();
  await twilio.close();
  await rm(folder, { recursive: true });
});

type Given = Record<string, unknown>;

const ids = new ShortenedIds();
const resolved = (id: string): string => ids.resolve(id) as string;

/** Runs a command of the page in an empty folder, with the settings that a reader of the page enters. */
async function run(command: string): Promise<string> {
  const unsubscribe = command.includes('UNSUBSCRIBE_URL') ? await unsubscribeLink() : '';
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -eu\n${command}`], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      SWITCHBOARD: switchboard.url,
      API_KEY: acme.key,
      IMPORT_ID: command.includes('IMPORT_ID') ? resolved('imp_…') : '',
      UNSUBSCRIBE_URL: unsubscribe,
    },
  });
  return stdout;
}

async function unsubscribeLink(): Promise<string> {
  const file = join(switchboard.dataDir, 'outbox', `${resolved('msg_2…')}.eml`);
  const email = await waitFor(() => readFile(file, 'utf8').catch(() => undefined));
  return /^List-Unsubscribe: <([^>]+)>/m.exec(email.replaceAll(/\r?\n[ \t]+/g, ' '))![1]!;
}

/**
 * Calls a tool. SMS go to the server of this test. Repeats get_import and get_message until the status is the one that
 * the page shows.
 */
async function call(tool: string, given: Given, shown: Given | undefined): Promise<Given> {
  const settings = given.settings as Given | undefined;
  const sent = settings ? { ...given, settings: { ...settings, base_url: twilio.url } } : given;
  const statusOf = (answer: Given | undefined): unknown =>
    (Object.values(answer ?? {})[0] as Given | undefined)?.status;
  return await waitFor(async () => {
    const { value, error } = await acme.call<Given>(tool, sent);
    if (error) throw new Error(`${tool}: ${error.message} ${JSON.stringify(error.details)}`);
    const isReading = tool === 'get_import' || tool === 'get_message';
    return !isReading || statusOf(value) === statusOf(shown) ? value : undefined;
  });
}

it('the commands of docs/messaging.md print the documented answers', async () => {
  const page = await readFile(PAGE, 'utf8');
  const start = page.indexOf('## From a file to a first campaign');
  const blocks = blocksOf(page.slice(start));
  let text = page;
  const compare = (block: Block, actual: string): void => {
    if (isUpdate) text = text.replace(block.text, () => actual);
    else expect(actual).toBe(block.text);
  };
  // The loop leaves out the first block, which has only the settings of the reader. `run` passes these settings to each
  // command.
  for (let index = 1; index < blocks.length; index += 1) {
    const block = blocks[index]!;
    const next = blocks[index + 1];
    const shown = next?.label === 'answer' ? (JSON.parse(next.text) as Given) : undefined;
    if (block.label === 'answer' || block.language === 'csv' || block.language === 'text') continue;
    if (block.language === 'sh') {
      const output = await run(block.text);
      if (!shown) compare(next!, `${output.replaceAll('\r\n', '\n').trimEnd()}\n`);
      else check(next!, shown, JSON.parse(output) as Given);
      continue;
    }
    const given = ids.resolve(JSON.parse(block.text) as never) as Given;
    const answer = await call(block.label, given, shown);
    if (shown) check(next!, shown, answer);
  }
  if (isUpdate) await writeFile(PAGE, text);
  expect(twilio.accepted.map(({ to }) => to)).toEqual(['+493010000004']);

  function check(block: Block, shown: Given, answer: Given): void {
    if (!isUpdate) ids.match(shown as never, answer as never);
    else {
      const filled = ids.shorten(shown as never, answer as never);
      text = text.replace(block.text, () => `${JSON.stringify(filled, null, 2)}\n`);
    }
  }
}, 120_000);
