import { COMMAND_LINE_NAMES } from '../config/command-line-settings.js';
import { SERVER_INFO } from '../mcp/server-info.js';
import { counted } from '../text/counted.js';
import { CommandError } from './command-error.js';
import { assertKey } from './given-key.js';
import { parseBody, readAnswer } from './refused-answer.js';
import { isUnencrypted, shownAddress } from './service-address.js';
import type { ServiceAnswer, ServiceClient } from './service-client.js';
import { safeLine, type Terminal } from './terminal.js';
import { callMethod } from './tool-calls.js';
import { listTools } from './tool-list.js';

type State = 'ok' | 'warning' | 'WRONG';

interface Finding {
  readonly state: State;
  readonly about: string;
  readonly text: string;
}

interface CurrentKey {
  readonly prefix: string;
  readonly last_four: string;
  readonly expires_at: string | null;
  readonly read_only: boolean;
  readonly tools: readonly string[] | null;
}

const DAY_MS = 24 * 3_600_000;
/**
 * The largest normal difference between the clocks, in seconds. `Date` has whole seconds, and the answer takes time.
 */
const USUAL_DIFFERENCE_S = 5;
/** The largest age of a signature, in seconds. The service refuses older ones (docs/webhooks.md). */
const MAX_SIGNATURE_AGE_S = 300;

/**
 * Checks step by step whether this machine can use the service. Prints what is right, what is wrong and what to do next.
 * Returns exit code 1 when something is wrong.
 */
export async function runDoctor(
  client: ServiceClient,
  key: string | undefined,
  terminal: Terminal,
): Promise<number> {
  let isWrong = false;
  for await (const { state, about, text } of findings(client, key)) {
    isWrong ||= state === 'WRONG';
    terminal.print(`${state.padEnd(7)}  ${about.padEnd(7)}  ${text}`);
  }
  return isWrong ? 1 : 0;
}

/** Yields one finding after the other. Ends after a fault that makes the next checks meaningless. */
async function* findings(client: ServiceClient, key: string | undefined): AsyncGenerator<Finding> {
  const live = await check('address', () => checkAddress(client));
  yield live.finding;
  if (!live.value) return;
  if (isUnencrypted(client.address)) {
    const text = 'The key is sent without encryption. Use https://, unless the network is private.';
    yield { state: 'warning', about: 'address', text };
  }
  yield (await check('health', () => checkHealth(client))).finding;
  yield checkClock(live.value);
  const found = await check('key', () => checkKey(client, key));
  yield found.finding;
  if (!found.value) return;
  yield* describeKey(found.value);
  yield (await check('version', () => checkVersion(client))).finding;
  yield (await check('tools', () => checkTools(client))).finding;
}

/** Returns the finding and the value of a check. When the check throws a `CommandError`, that error is the finding. */
async function check<T>(
  about: string,
  work: () => Promise<{ state?: State; text: string; value?: T }>,
): Promise<{ finding: Finding; value?: T }> {
  try {
    const { state = 'ok', text, value } = await work();
    return { finding: { state, about, text }, ...(value !== undefined && { value }) };
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown;
    return { finding: { state: 'WRONG', about, text: thrown.message } };
  }
}

async function checkAddress(client: ServiceClient) {
  const value = await client.send({ path: '/health/live' });
  const body = readAnswer(value, client.address);
  const shown = shownAddress(client.address);
  if ((body as { status?: unknown } | null)?.status !== 'ok') {
    throw new CommandError(
      `A service that is not Switchboard answers at ${shown}. Check ${COMMAND_LINE_NAMES.url}.`,
    );
  }
  return { text: `Switchboard answers at ${shown}.`, value };
}

async function checkHealth(client: ServiceClient) {
  const answer = await client.send({ path: '/health/ready' });
  if (answer.status === 200) return { text: 'The service is ready for requests.' };
  const { failing } = (parseBody(answer) ?? {}) as { failing?: unknown };
  const parts = Array.isArray(failing) ? safeLine(failing.join(', ')) : `status ${answer.status}`;
  throw new CommandError(`The service cannot serve requests now: ${parts}. Read its log.`);
}

function checkClock({ headers }: ServiceAnswer): Finding {
  const serverTime = Date.parse(headers.date ?? '');
  const about = 'clock';
  if (Number.isNaN(serverTime)) {
    return {
      state: 'warning',
      about,
      text: 'The answer of the service has no date, so its clock cannot be checked.',
    };
  }
  const seconds = Math.round((Date.now() - serverTime) / 1000);
  const size = Math.abs(seconds);
  if (size <= USUAL_DIFFERENCE_S) return { state: 'ok', about, text: 'The clocks agree.' };
  const text = `The clock of this machine is ${counted(size, 'second')} ${seconds > 0 ? 'ahead of' : 'behind'} that of the service.`;
  return size < MAX_SIGNATURE_AGE_S
    ? { state: 'warning', about, text }
    : {
        state: 'WRONG',
        about,
        text: `${text} Webhooks that this machine signs are refused. Set the clock, for example with NTP.`,
      };
}

async function checkKey(client: ServiceClient, key: string | undefined) {
  assertKey(key);
  const answer = await client.send({ path: '/api/mcp/keys/current' });
  // A proxy may answer here with a page. `readAnswer` then describes the page, as for any other path.
  const { key: value } = readAnswer(answer, client.address) as { key: CurrentKey };
  const shown = `${safeLine(value.prefix)}…${safeLine(value.last_four)}`;
  return { text: `The key ${shown} is valid.`, value };
}

function* describeKey(key: CurrentKey): Generator<Finding> {
  const about = 'key';
  if (key.read_only) {
    yield { state: 'ok', about, text: 'The key may only call tools that change nothing.' };
  }
  if (key.tools) {
    const names = safeLine(key.tools.join(', '));
    yield {
      state: 'ok',
      about,
      text: `The key may call ${counted(key.tools.length, 'tool')}: ${names}.`,
    };
  }
  if (key.expires_at === null) return;
  const days = Math.floor((Date.parse(key.expires_at) - Date.now()) / DAY_MS);
  const text = `The key expires at ${safeLine(key.expires_at)}, in ${counted(days, 'day')}.`;
  yield days < 7
    ? { state: 'warning', about, text: `${text} Ask an owner for a new one.` }
    : { state: 'ok', about, text };
}

async function checkVersion(client: ServiceClient) {
  const { serverInfo } = await callMethod<{ serverInfo: { version: string } }>(
    client,
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT },
  );
  const version = safeLine(serverInfo.version);
  if (version === SERVER_INFO.version) {
    return { text: `The service and this command have version ${version}.` };
  }
  const text = `The service has version ${version}, this command ${SERVER_INFO.version}. Install the same version.`;
  return { state: 'warning' as const, text };
}

const CLIENT = { name: 'switchboard-command', version: SERVER_INFO.version };

async function checkTools(client: ServiceClient) {
  const { length } = await listTools(client);
  if (length === 0)
    throw new CommandError('The key may call no tool. Ask an owner for another key.');
  return { text: `The key may call ${counted(length, 'tool')}.` };
}
