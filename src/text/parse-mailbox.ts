import { hiddenCharacter } from './hidden-character.js';
import { parseEmail } from './parse-email.js';

/** An address with the name that mail programs show. The name may be empty. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

const LONGEST_NAME = 100;
/** The largest number of characters: the longest address and name fit. */
const LONGEST_MAILBOX = 500;
const NAMED = /^(?:"([^"<>]*)"\s*|([^"<>,;]*))<([^<>]*)>$/;

/** Reads `ada@example.com` or `Ada Lovelace <ada@example.com>`. The fault says what is allowed. */
export function parseMailbox(text: string): { value: Mailbox } | { fault: string } {
  const given = text.trim();
  if (given.length > LONGEST_MAILBOX) {
    return { fault: `must have at most ${LONGEST_MAILBOX} characters` };
  }
  const [, quoted, plain = '', inner] = NAMED.exec(given) ?? [];
  const name = (quoted ?? plain).trim();
  const address = parseEmail(inner ?? given);
  if ('fault' in address) {
    return { fault: 'must be one address, such as ada@example.com or Ada <ada@example.com>' };
  }
  const fault = nameFault(name);
  return fault === undefined ? { value: { name, address: address.value } } : { fault };
}

/** Returns true for a value that {@link parseMailbox} can return, for example in stored JSON. */
export function isMailbox(value: unknown): value is Mailbox {
  if (typeof value !== 'object' || value === null) return false;
  const { name, address } = value as Partial<Record<keyof Mailbox, unknown>>;
  return (
    typeof name === 'string' &&
    nameFault(name) === undefined &&
    typeof address === 'string' &&
    'value' in parseEmail(address)
  );
}

function nameFault(name: string): string | undefined {
  const hidden = hiddenCharacter(name);
  if (hidden !== undefined) return `must have a name without ${hidden}`;
  // `=?` begins an encoded word (RFC 2047). Mail programs would decode the word, and show a text that was not
  // checked.
  if (/[\r\n\t\u2028\u2029@]|=\?/.test(name)) {
    return 'must have a name of one line without @ and =?';
  }
  return name.length > LONGEST_NAME
    ? `must have a name of at most ${LONGEST_NAME} characters`
    : undefined;
}
