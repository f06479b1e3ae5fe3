import { channelChoices } from '../../api/choices.ts';
import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';

/** A channel as an option of a selection. */
export interface ChannelOption {
  readonly value: string;
  readonly label: string;
  readonly hasSubject: boolean;
}

/**
 * Returns the channels of the installation, including the channels of modules. Until the answer arrives, and if the
 * answer cannot be read, returns the channels that every installation has. Appends each `chosen` channel that is not
 * among them.
 */
export function useChannels(chosen: readonly string[] = []): ChannelOption[] {
  const words: Readonly<Record<string, string>> = useTexts(messagesTexts).channels;
  const { data } = useTool('list_channels', {}, channelChoices);
  const known = data
    ? data.channels.map(({ name, title, has_subject: hasSubject }) => ({
        value: name,
        label: words[name] ?? title,
        hasSubject,
      }))
    : Object.entries(words).map(([value, label]) => ({
        value,
        label,
        hasSubject: value === 'email',
      }));
  const others = new Set(chosen.filter((name) => known.every(({ value }) => value !== name)));
  return [
    ...known,
    ...[...others].map((name) => ({ value: name, label: name, hasSubject: false })),
  ];
}

/** Returns the title of a channel, or its name when the installation does not have the channel. */
export function titleOfChannel(channels: readonly ChannelOption[], name: string): string {
  return channels.find(({ value }) => value === name)?.label ?? name;
}
