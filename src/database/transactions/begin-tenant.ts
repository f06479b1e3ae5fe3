import type { Part } from '../driver/pipelined-query.js';

const BEGIN = {
  write: { name: 'switchboard_begin', text: 'begin' },
  read: { name: 'switchboard_begin_read_only', text: 'begin read only' },
  dry: { name: 'switchboard_begin', text: 'begin' },
};
/** Milliseconds since 1970, rounded as a column of that precision does. */
const NOW = `(extract(epoch from now()) * 1000)::bigint`;
// Whether it is a dry run is said in every transaction: SQL of an earlier one may have set it for the whole session.
const SET_CONTEXT = {
  name: 'switchboard_context',
  text: `select ${NOW}, set_config('switchboard.context', $1, true),
    set_config('switchboard.dry_run', $2, true)`,
};

const READ_ONCE = {
  name: 'switchboard_read_once',
  text: `select set_config('transaction_read_only', 'on', true), set_config('switchboard.context', $1, true),
    set_config('switchboard.dry_run', 'off', true)`,
};

/** Asks for the time at which the transaction began, by the clock of the database. */
export function askForNow(tell: (now: Date) => void): Part {
  return { name: 'switchboard_now', text: `select ${NOW}`, values: [], take: taker(tell) };
}

/** `dry`: the changes of the transaction are noted, for it is going to be rolled back. */
export type TransactionMode = 'read' | 'write' | 'dry';

/**
 * `once`: the transaction is over with its first statement, and committed if that succeeds. It has no `begin`, so all
 * that is sent together is one (PostgreSQL, Message Flow, Pipelining).
 */
export type TransactionKind = TransactionMode | 'read once' | 'write once';

/**
 * Begins a transaction and binds it to an organization, on the way of its first statement. The context is a bound
 * parameter, never query text, because every session of a role can read the text of its sessions' queries in
 * pg_stat_activity, and a context seen there could be used again. `tell` is told when the transaction began, by the clock
 * of the database.
 */
export function beginTenant(
  context: string,
  kind: TransactionKind,
  tell?: (now: Date) => void,
): readonly Part[] {
  if (kind === 'read once') return [{ ...READ_ONCE, values: [context] }];
  const setContext = {
    ...SET_CONTEXT,
    values: [context, kind === 'dry' ? 'on' : 'off'],
    ...(tell && { take: taker(tell) }),
  };
  return kind === 'write once' ? [setContext] : [{ ...BEGIN[kind], values: [] }, setContext];
}

function taker(tell: (now: Date) => void): Part['take'] {
  return ([milliseconds]) => tell(new Date(Number(milliseconds)));
}
