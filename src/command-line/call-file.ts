import { randomBase62 } from '../text/ids.js';
import { CommandError, Stopped } from './command-error.js';
import { openInput } from './input-file.js';
import { Progress } from './progress.js';
import { RejectedRows, rejectedFile } from './rejected-rows.js';
import { Retries } from './retries.js';
import { RowSender } from './row-sender.js';
import { batchRows } from './row-batches.js';
import { isCallRow, readRows, type Row, type RowError } from './rows.js';
import type { ServiceClient } from './service-client.js';
import { stopSignal } from './stop-signals.js';
import type { Terminal } from './terminal.js';
import type { Outcome } from './tool-calls.js';

export interface CallFileOptions {
  readonly tool: string;
  /** The name of the file. Undefined for standard input. */
  readonly file: string | undefined;
  readonly isRejected: boolean;
  readonly from: number;
  /** The number of batches that are sent at the same time. */
  readonly parallel: number;
  readonly keyPrefix: string | undefined;
  readonly isDryRun: boolean;
}

/** The outcomes of a batch, or the fault because of which the batch has no outcomes. */
type BatchResult = { readonly rows: readonly Row[] } & (
  { readonly outcomes: ReadonlyMap<number, Outcome> } | { readonly fault: unknown }
);

/**
 * Calls the tool once for each row of the file. Returns exit code 0 when all rows are done, and 1 when some rows are
 * rejected. When the command cannot continue, prints how to continue with a later command, and then throws a {@link
 * CommandError}.
 */
export async function callFile(
  client: ServiceClient,
  terminal: Terminal,
  options: CallFileOptions,
): Promise<number> {
  const { file, from, isRejected, keyPrefix = randomBase62(12) } = options;
  const input = await openInput(file);
  const rejected = await RejectedRows.open(rejectedFile(file), from > 1);
  const progress = new Progress(terminal, input.bytes);
  let next = from;
  const reportNext = (): void => {
    terminal.report(progress.summarize());
    const again = `--from ${next} --idempotency-key ${keyPrefix}`;
    terminal.report(
      `The command did not reach the end of the file. To continue, repeat the command with ${again}`,
    );
  };
  const stop = stopSignal(
    () =>
      terminal.report(
        'Stopping after the calls that have been sent. Press Ctrl-C again to end now.',
      ),
    reportNext,
  );
  terminal.report(`The idempotency keys of the calls begin with ${keyPrefix}.`);
  const retries = new Retries(stop.signal, (reason) => progress.reportPause(reason));
  const sender = new RowSender(client, retries, { ...options, keyPrefix });
  const batches = batchRows(readRows(input.read(stop.signal), { from, isRejected }));
  try {
    for await (const result of sendBatches(sender, batches, options.parallel, stop.signal)) {
      if ('fault' in result) {
        // Without this signal, batches that wait for their next attempt would delay the end of the command.
        stop.abort();
        throw result.fault;
      }
      await settle(result.rows, result.outcomes, rejected, progress);
      next = result.rows.at(-1)!.number + 1;
    }
    if (stop.signal.aborted) throw new Stopped();
  } catch (error) {
    if (error instanceof CommandError) reportNext();
    throw error;
  } finally {
    await rejected.close();
  }
  terminal.print(progress.summarize());
  if (progress.rejected > 0) terminal.print(`Rejected rows are in ${rejected.path}.`);
  return progress.rejected > 0 ? 1 : 0;
}

/**
 * Yields the results in the order of the file, while at most `parallel` batches wait for a response. So rejected rows
 * are written in the order of the file. When the result of a row is yielded, all earlier rows have their results.
 */
async function* sendBatches(
  sender: RowSender,
  batches: AsyncIterable<Row[]>,
  parallel: number,
  stop: AbortSignal,
): AsyncGenerator<BatchResult> {
  const sending: Promise<BatchResult>[] = [];
  try {
    for await (const rows of batches) {
      if (stop.aborted) break;
      sending.push(sendBatch(sender, rows));
      if (sending.length >= parallel) yield await sending.shift()!;
    }
    while (sending.length > 0) yield await sending.shift()!;
  } finally {
    // After a fault, nothing may be sent. Otherwise the command would tell the person to continue from a wrong row.
    await Promise.all(sending);
  }
}

async function sendBatch(sender: RowSender, rows: Row[]): Promise<BatchResult> {
  try {
    return { rows, outcomes: await sender.send(rows.filter(isCallRow)) };
  } catch (fault) {
    return { rows, fault };
  }
}

async function settle(
  rows: readonly Row[],
  outcomes: ReadonlyMap<number, Outcome>,
  rejected: RejectedRows,
  progress: Progress,
): Promise<void> {
  const failures: { row: Row; error: RowError }[] = [];
  for (const row of rows) {
    const outcome = isCallRow(row) ? outcomes.get(row.number)! : row;
    if ('error' in outcome) failures.push({ row, error: outcome.error });
  }
  await rejected.write(failures);
  progress.add(rows.length - failures.length, failures.length, rows.at(-1)!.end);
}
