import type { SendMailOptions } from 'nodemailer';
import { parseEmail } from '../../contacts/parse-field.js';
import type { Email } from './email-channel.js';

/**
 * The e-mail as nodemailer takes it, or undefined when an address is not plain. Addresses go in as objects, because
 * text would be parsed as a list; nothing that the text names is read from files or addresses.
 */
export function composeEmail(email: Email, from: string): SendMailOptions | undefined {
  const to = parseEmail(email.to);
  if ('fault' in to || /[\r\n\0]/.test(email.subject)) return undefined;
  return {
    from: { name: '', address: from },
    to: { name: '', address: to.value },
    subject: email.subject,
    text: email.text,
    date: email.date,
    messageId: messageIdOf(email.id, from),
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function messageIdOf(id: string, from: string): string {
  return `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`;
}
