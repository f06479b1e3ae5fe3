import type { BoundStatement } from '../driver/statement.js';

/** The change that a dry run made to a row: the names of the changed columns, but no values. */
export interface Effect {
  action: 'create' | 'update' | 'delete';
  table: string;
  /** The key of the row in its organization. The columns of a composite key are joined by `/`. */
  id: string;
  /** The names of the changed columns, for an update. */
  changed?: string[];
}

export interface Effects {
  effects: Effect[];
  truncated?: true;
}

const MOST_EFFECTS = 1000;

/** Makes the database record changed rows until the transaction ends. */
export const RECORD_EFFECTS: BoundStatement = {
  text: `select set_config('switchboard.dry_run', 'on', true), set_config('switchboard.effects', '', true)`,
  values: [],
  isInternal: true,
};
/**
 * The largest record in bytes. The trigger stops at half of this size, but SQL of a tool can replace the record by any
 * text.
 */
const MOST_BYTES = 256 * 1024;
/**
 * Reads `effects` and `mode`. `effects` has the recorded lines for {@link parseEffects}. When the record became too
 * large, lines are missing, and `mode` is `full`.
 */
export const READ_EFFECTS: BoundStatement = {
  text: `select case when octet_length(effects) > ${MOST_BYTES} then 'full' else mode end as mode,
      case when octet_length(effects) > ${MOST_BYTES} then '' else effects end as effects
    from (select current_setting('switchboard.dry_run', true) as mode,
      current_setting('switchboard.effects', true) as effects) recorded`,
  values: [],
  isInternal: true,
};

/**
 * Returns one effect for each row, and none for a row that was created and deleted. `isFull` says that lines of `noted`
 * are missing, so the result is truncated.
 */
export function parseEffects(noted: string, isFull: boolean): Effects {
  const net = new Map<string, Effect>();
  // Each line ends with a newline.
  for (const line of noted.split('\n').slice(0, -1)) {
    const effect = JSON.parse(line) as Effect;
    const row = JSON.stringify([effect.table, effect.id]);
    const earlier = net.get(row);
    const both = earlier ? merge(earlier, effect) : effect;
    if (both) net.set(row, both);
    else net.delete(row);
  }
  const effects = [...net.values()];
  const truncated = isFull || effects.length > MOST_EFFECTS;
  return { effects: effects.slice(0, MOST_EFFECTS), ...(truncated && { truncated }) };
}

function merge(earlier: Effect, later: Effect): Effect | undefined {
  const { table, id, changed } = later;
  switch (earlier.action) {
    case 'create':
      return later.action === 'delete' ? undefined : earlier;
    case 'update':
      if (later.action === 'delete') return later;
      // Without `changed`, the row was deleted and created again, so the changed columns are unknown.
      return earlier.changed && changed
        ? { ...earlier, changed: [...new Set([...earlier.changed, ...changed])] }
        : earlier;
    case 'delete':
      return { action: 'update', table, id };
  }
}
