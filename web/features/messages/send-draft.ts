import type { UploadedFile } from '../../api/files.js';
import { readTyped } from '../../forms/typed-values.js';
import { isPhoneLike } from './phone-like.js';
import type { SendingTemplate } from './send.readers.js';

/** The state of a message in the form. */
export interface SendDraft {
  readonly recipient: string;
  readonly channel: string;
  /** The name of a topic. A message without a topic is transactional. */
  readonly topic: string;
  /** The id of a template. Empty when the person writes the message. */
  readonly templateId: string;
  /** The texts that the person typed for the variables of the template, by name. */
  readonly typed: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly body: string;
  readonly files: readonly UploadedFile[];
}

export const EMPTY_DRAFT: SendDraft = {
  recipient: '',
  channel: 'email',
  topic: '',
  templateId: '',
  typed: new Map(),
  subject: '',
  body: '',
  files: [],
};

/** Reads the recipient from the address of the page. A link on another page can contain the recipient. */
export function readRecipient(search: Readonly<Record<string, unknown>>): { contact?: string } {
  return typeof search.contact === 'string' ? { contact: search.contact } : {};
}

/** Returns the arguments of `send_message`. Only e-mails have attachments. An e-mail always has a subject. */
export function toMessage(
  draft: SendDraft,
  template: SendingTemplate | undefined,
  hasSubject: boolean,
): Record<string, unknown> {
  const isEmail = draft.channel === 'email';
  const variables = template && readTyped(template.variables, draft.typed);
  const written = {
    ...(hasSubject && (isEmail || draft.subject !== '') && { subject: draft.subject }),
    body: draft.body,
  };
  return {
    ...toAddressee(draft.recipient.trim()),
    channel: draft.channel,
    ...(draft.topic && { topic: draft.topic }),
    ...(draft.templateId ? { template_id: draft.templateId } : written),
    ...(variables && { variables }),
    ...(isEmail &&
      draft.files.length > 0 && { attachments: draft.files.map(({ id }) => ({ file_id: id })) }),
  };
}

function toAddressee(recipient: string): Record<string, string> {
  if (recipient.includes('@')) return { email: recipient };
  if (isPhoneLike(recipient)) return { phone: recipient };
  return { contact_id: recipient };
}
