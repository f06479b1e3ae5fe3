import type { Part } from './pipelined-query.js';

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

// Without a `begin`, all that is sent together is a transaction that ends by itself.
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
 * Begins a transaction and binds it to an organization, on the way of its first statement; with `once` one that only
 * reads, and is over with that. The context is a bound parameter, never query text, because every session of a role can
 * read the text of its sessions' queries in pg_stat_activity, and a context seen there could be used again. `tell` is
 * told when the transaction began, by the clock of the database.
 */
export function beginTenant(
  context: string,
  mode: TransactionMode | 'once',
  tell?: (now: Date) => void,
): readonly Part[] {
  if (mode === 'once') return [{ ...READ_ONCE, values: [context] }];
  return [
    { ...BEGIN[mode], values: [] },
    {
      ...SET_CONTEXT,
      values: [context, mode === 'dry' ? 'on' : 'off'],
      ...(tell && { take: taker(tell) }),
    },
  ];
}

function taker(tell: (now: Date) => void): Part['take'] {
  return ([milliseconds]) => tell(new Date(Number(milliseconds)));
}
