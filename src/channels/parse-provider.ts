import { AppError, type Fault } from '../errors/app-error.js';
import { hiddenCharacter } from '../text/hidden-character.js';
import type { ChannelOptions, ProviderField, ProviderKind } from './channel.decorator.js';

const LONGEST_VALUE = 1024;
const LONGEST_SECRET = 8192;

/** The encrypted part of a provider. */
export interface ProviderContent {
  readonly kind: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly secret: string;
}

/** Returns the kind. Throws `invalid_arguments`, with the kinds that exist, for an unknown kind. */
export function kindOf({ name, providers }: ChannelOptions, kind: string): ProviderKind {
  const kinds = Object.keys(providers ?? {});
  if (kinds.length === 0) {
    throw AppError.invalidField('channel', `must have kinds of providers, and ${name} has none`);
  }
  if (!kinds.includes(kind)) {
    throw AppError.invalidField('kind', `must be one of ${kinds.join(', ')} for ${name}`);
  }
  return providers![kind]!;
}

/** Returns the settings with their defaults. Throws `invalid_arguments` with every fault. */
export function parseSettings({ fields }: ProviderKind, given: object): Record<string, string> {
  const faults: Fault[] = [];
  const settings: Record<string, string> = {};
  const names = Object.keys(fields);
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const path = `settings.${name.slice(0, 64)}`;
    faults.push({
      path,
      message: `is not a setting. The settings are: ${names.join(', ') || 'none'}`,
    });
    if (faults.length >= 10) break;
  }
  for (const [name, field] of Object.entries(fields)) {
    const sent: unknown = Object.hasOwn(given, name)
      ? (given as Record<string, unknown>)[name]
      : undefined;
    // Forms send an empty text for a setting without a value.
    const value = sent === undefined || sent === null || sent === '' ? field.default : sent;
    const path = `settings.${name}`;
    if (value === undefined) {
      if (!field.optional) faults.push({ path, message: 'is required' });
      continue;
    }
    const message = valueFault(field, value, LONGEST_VALUE);
    if (message === undefined) settings[name] = value as string;
    else faults.push({ path, message });
  }
  if (faults.length > 0) throw AppError.invalid(describe(faults), faults);
  return settings;
}

/** Returns the secret. Throws `invalid_arguments`; the error does not quote the secret. */
export function parseSecret({ secret }: ProviderKind, given: string): string {
  const message = valueFault(secret, given, LONGEST_SECRET);
  if (message !== undefined) throw AppError.invalidField('secret', message);
  return given;
}

/** Returns true when a change of the settings would send the stored secret to another receiver. */
export function changesReceiver(
  { fields }: ProviderKind,
  before: ProviderContent,
  settings: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(fields).some(
    ([name, { decidesReceiver }]) => decidesReceiver && before.settings[name] !== settings[name],
  );
}

function valueFault(
  {
    pattern,
    rule = 'must have the form that the provider documents',
  }: Pick<ProviderField, 'pattern' | 'rule'>,
  value: unknown,
  most: number,
): string | undefined {
  if (typeof value !== 'string') return 'must be text';
  if (value.length > most) return `must have at most ${most} characters`;
  const hidden = hiddenCharacter(value);
  if (hidden !== undefined) return `must not contain ${hidden}`;
  if (pattern && !new RegExp(`^(?:${pattern.source})$`, pattern.flags).test(value)) return rule;
  return undefined;
}

function describe([first]: readonly Fault[]): string {
  return `${first!.path} ${first!.message}.`;
}
