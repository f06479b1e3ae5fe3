import {
  CHANNEL_EXTRAS,
  type ChannelExtra,
  type ChannelOptions,
} from '../channels/channel.decorator.js';
import type { Consent } from '../contacts/consent.js';
import { AppError } from '../errors/app-error.js';

/** Returns true when the contact has denied consent to the channel. */
export function isDenied(consent: Consent, channel: string): boolean {
  return Object.entries(consent).some(
    ([name, decision]) => name === channel && decision?.status === 'denied',
  );
}

/** Returns the channel's title as it is written inside a sentence: `e-mail`, `SMS`. */
export function spoken({ title }: Pick<ChannelOptions, 'title'>): string {
  return /^[A-Z][a-z-]/.test(title) ? `${title[0]!.toLowerCase()}${title.slice(1)}` : title;
}

/** Throws `invalid_arguments` when the message has an extra, such as HTML, that the channel does not carry. */
export function assertCarries(
  { name, carries = [] }: ChannelOptions,
  given: Readonly<Partial<Record<ChannelExtra, unknown>>>,
): void {
  for (const extra of CHANNEL_EXTRAS) {
    if (given[extra] === undefined || carries.includes(extra)) continue;
    throw AppError.invalidField(extra, `must be absent, because ${name} does not carry it`);
  }
}

/**
 * Throws `invalid_arguments` when a required subject is missing, or when a subject is given for a channel without
 * subjects.
 */
export function assertSubject({ name, subject: rule }: ChannelOptions, subject?: string): void {
  if (rule === 'required' && subject === undefined) {
    throw AppError.invalidField('subject', `is required for the ${name} channel`);
  }
  if (rule === undefined && subject !== undefined) {
    throw AppError.invalidField('subject', `must be absent, because ${name} has no subject`);
  }
}
