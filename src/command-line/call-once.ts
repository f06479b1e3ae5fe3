import { randomBase62 } from '../text/ids.js';
import { CommandError } from './command-error.js';
import { Retries } from './retries.js';
import type { RowError } from './rows.js';
import type { ServiceClient } from './service-client.js';
import { stopSignal } from './stop-signals.js';
import { safeJson, safeLine, type Terminal } from './terminal.js';
import { sendCalls } from './tool-calls.js';

export interface CallOnceOptions {
  readonly tool: string;
  /** The JSON text of the arguments. */
  readonly json: string;
  readonly idempotencyKey: string | undefined;
  readonly isDryRun: boolean;
}

/** Calls a tool and prints its result as JSON. Returns exit code 0, or 1 when the tool failed. */
export async function callOnce(
  client: ServiceClient,
  terminal: Terminal,
  { tool, json, idempotencyKey = randomBase62(16), isDryRun }: CallOnceOptions,
): Promise<number> {
  assertObject(json);
  const stop = stopSignal(
    () => terminal.report('Stopping after the call. Press Ctrl-C again to end now.'),
    () => undefined,
  );
  const retries = new Retries(stop.signal, (reason) => terminal.report(reason));
  const call = { id: 1, tool, json, idempotencyKey, isDryRun };
  const outcome = (await retries.run(() => sendCalls(client, [call]))).get(1)!;
  if ('error' in outcome) {
    reportError(outcome.error, terminal);
    return 1;
  }
  terminal.print(shownResult(outcome.json));
  return 0;
}

function assertObject(json: string): void {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw new CommandError(
    `The arguments are not a JSON object. Quote them, for example: '{"email": "ada@example.com"}'`,
  );
}

/**
 * Returns the text that the command prints for a result. A tool without an output class returns text for a model, which
 * is often not JSON.
 */
function shownResult(text: string): string {
  try {
    return safeJson(JSON.parse(text));
  } catch {
    return text.split('\n').map(safeLine).join('\n');
  }
}

function reportError({ code, message, details, error_id: errorId }: RowError, to: Terminal): void {
  to.report(`${code}: ${message}`);
  const faults = Array.isArray(details) ? (details as { path?: unknown; message?: unknown }[]) : [];
  // The message names the fault if there is only one.
  for (const { path, message: fault } of faults.length > 1 ? faults : []) {
    to.report(`  ${safeLine(`${String(path)} ${String(fault)}`)}`);
  }
  if (typeof errorId === 'string')
    to.report(`The id of this error in the log of the service is ${safeLine(errorId)}.`);
}
