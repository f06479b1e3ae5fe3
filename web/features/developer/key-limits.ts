import type { KeyOptions } from '../../api/keys.ts';

/** Holds the choices of a person for a new key. */
export interface KeyLimits {
  /** The days until the key expires, as text. Empty for a key that does not expire. */
  days: string;
  isReadOnly: boolean;
  /** The names of tools, separated by spaces, commas or new lines. Empty for every tool. */
  tools: string;
}

export const NO_LIMITS: KeyLimits = { days: '', isReadOnly: false, tools: '' };

export function toOptions({ days, isReadOnly, tools }: KeyLimits): KeyOptions {
  const names = [...new Set(tools.split(/[\s,]+/).filter(Boolean))];
  return {
    ...(days && { expires_in_days: Number(days) }),
    ...(isReadOnly && { read_only: true }),
    ...(names.length > 0 && { tools: names }),
  };
}
