import type { Channel, Provider, ProviderKind } from './channel.readers.ts';

/** Holds the texts that a person has typed. */
export interface ProviderDraft {
  /** The name of the channel and of the kind, separated by a slash. */
  choice: string;
  name: string;
  secret: string;
  priority: string;
  perSecond: string;
  settings: Readonly<Record<string, string>>;
}

export interface KindChoice {
  readonly value: string;
  readonly label: string;
  readonly channel: string;
  readonly kind: ProviderKind;
}

/** Lists the kinds of all channels. */
export function kindChoices(channels: readonly Channel[]): KindChoice[] {
  return channels.flatMap(({ name, title, kinds }) =>
    kinds.map((kind) => ({
      value: `${name}/${kind.kind}`,
      label: `${title}: ${kind.title}`,
      channel: name,
      kind,
    })),
  );
}

/**
 * Returns the initial content of the form. The field of the secret is empty, because nobody can read a stored secret.
 */
export function draftOf(
  provider: Provider | undefined,
  choices: readonly KindChoice[],
): ProviderDraft {
  const choice = provider ? `${provider.channel}/${provider.kind}` : (choices[0]?.value ?? '');
  return {
    choice,
    name: provider?.name ?? '',
    secret: '',
    priority: provider ? String(provider.priority) : '',
    perSecond: provider?.per_second ? String(provider.per_second) : '',
    settings: provider?.settings ?? {},
  };
}

/** Returns the arguments of `create_channel_provider` or `update_channel_provider`. Empty fields are left out. */
export function toArguments(
  draft: ProviderDraft,
  choices: readonly KindChoice[],
  providerId: string | undefined,
): Record<string, unknown> {
  const choice = choices.find(({ value }) => value === draft.choice);
  const names = choice?.kind.settings.map(({ name }) => name) ?? [];
  const given = names.flatMap((name) => {
    const value = draft.settings[name]?.trim() ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  const perSecond = draft.perSecond.trim();
  return {
    ...(providerId === undefined
      ? { channel: choice?.channel, kind: choice?.kind.kind }
      : { provider_id: providerId }),
    ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
    settings: Object.fromEntries(given),
    ...(draft.secret !== '' && { secret: draft.secret }),
    ...(draft.priority.trim() !== '' && { priority: Number(draft.priority) }),
    // An emptied field removes the limit.
    per_second: perSecond === '' ? 0 : Number(perSecond),
  };
}
