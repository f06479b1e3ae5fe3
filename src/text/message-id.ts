import { asciiDomain } from './domain-forms.js';

/** Matches a Message-ID of other systems (RFC 5322, section 3.6.4), as far as it is safe in a header. */
const MESSAGE_ID = /^<[^\s<>@\p{C}]{1,200}@[^\s<>@\p{C}]{1,200}>$/u;

/** Returns the Message-ID of a message of Switchboard. It is the same at every attempt. */
export function messageIdOf(id: string, from: string): string {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  return `<${id}@${asciiDomain(domain) || domain}>`;
}

export function isMessageId(text: string): boolean {
  return MESSAGE_ID.test(text);
}
