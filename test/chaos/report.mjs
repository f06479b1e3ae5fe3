/**
 * Prints the figures of each round, and returns the names of the broken promises. With an infinite
 * `maxRecoverySeconds`, the time of recovery is only printed.
 */
export function printTable(rounds, maxRecoverySeconds) {
  const faultsOf = ({ tally }, ...kinds) =>
    kinds.reduce((sum, kind) => sum + (tally.faults[kind] ?? 0), 0);
  const violationsOf = ({ violations }, pattern) =>
    violations.filter(({ what }) => pattern.test(what)).length;
  const refused = ({ tally }, isExpected) =>
    Object.entries(tally.refused)
      .filter(([status]) => isExpected === ['429', '503'].includes(status))
      .reduce((sum, [, count]) => sum + count, 0);
  const rows = [
    ['Webhooks', ({ count }) => count],
    ['Requests sent for them', ({ tally }) => tally.sent],
    ['Webhooks answered ok', ({ figures }) => figures.accepted],
    ['Requests answered 503 or 429', (round) => refused(round, true)],
    ['Requests without a response', ({ tally }) => tally.unanswered],
    ['kill -9 of web', (round) => faultsOf(round, 'killWeb')],
    ['kill -9 of worker', (round) => faultsOf(round, 'killWorker')],
    ['SIGSTOP of a worker beyond its lease', (round) => faultsOf(round, 'pause')],
    ['Half of the backends terminated', (round) => faultsOf(round, 'terminate')],
    ['Immediate stops of PostgreSQL', (round) => faultsOf(round, 'crash')],
    ['FLUSHALL', (round) => faultsOf(round, 'forget')],
    ['kill -9 of Redis', (round) => faultsOf(round, 'redisDown')],
    ['SIGTERM, one process after the other', ({ tally }) => tally.stops.length],
    ['Runs claimed after a lost lease', ({ recovery }) => recovery.count],
    ['Runs parked after three crashes, and retried', ({ tally }) => tally.parked],
    ['External calls repeated, same key', ({ figures }) => figures.repeatedCalls],
    ['E-mails repeated, same Message-ID', ({ figures }) => figures.repeatedMails],
    ['E-mails uncertain, outcome unknown', ({ figures }) => figures.heldMails],
    ['Rows imported', ({ figures }) => figures.importedRows],
    ['Recovery, median in s', ({ recovery }) => seconds(recovery.median)],
    ['Recovery, p99 in s', ({ recovery }) => seconds(recovery.p99)],
    ['Recovery, longest in s', ({ recovery }) => seconds(recovery.most)],
    ['Duration in s', (round) => Math.round(round.seconds)],
  ];
  const promises = [
    ['Lost', (round) => violationsOf(round, /lost/)],
    ['Doubled', (round) => violationsOf(round, /doubled/)],
    ['Repeats with another key', (round) => violationsOf(round, /another/)],
    ['5xx responses other than 503', (round) => refused(round, false)],
    ['Processes that ended unexpectedly', ({ tally }) => tally.unexpectedExits.length],
    [
      'Stops of more than 25 s or with an error code',
      ({ tally }) => tally.stops.filter((stop) => !stop.isFine).length,
    ],
    [
      'More than one in 200 runs parked',
      ({ tally, count }) => (tally.parked > Math.max(1, count / 200) ? 1 : 0),
    ],
    [
      'No recovery was measured',
      (round) => (faultsOf(round, 'killWorker') > 0 && round.recovery.count === 0 ? 1 : 0),
    ],
  ];
  if (maxRecoverySeconds < Infinity) {
    promises.push([
      `Recovery p99 above ${maxRecoverySeconds} s`,
      ({ recovery }) => (recovery.p99 > maxRecoverySeconds ? 1 : 0),
    ]);
  }
  const table = [
    ['', ...rounds.map(({ driver }) => driver)],
    ...[...rows, ...promises].map(([name, figure]) => [name, ...rounds.map(figure).map(String)]),
  ];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const lines = table.map(
    (row) =>
      `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join(' | ')} |`,
  );
  lines.splice(
    1,
    0,
    `| ${widths.map((width, column) => `${'-'.repeat(width - (column ? 1 : 0))}${column ? ':' : ''}`).join(' | ')} |`,
  );
  console.log(lines.join('\n'));
  return promises
    .filter(([, figure]) => rounds.some((round) => figure(round) > 0))
    .map(([name]) => name);
}

function seconds(value) {
  return value === null ? '–' : value.toFixed(1);
}
