import { safeName } from '../files/file-name.js';
import { isJsonObject } from '../text/is-json-object.js';
import { isMessageId } from '../text/message-id.js';
import { isMailbox } from '../text/parse-mailbox.js';
import {
  attachmentTypeOf,
  CONTENT_ID,
  MOST_ATTACHED_BYTES,
  MOST_ATTACHMENTS,
} from './attachment-rules.js';
import type { OutgoingAttachment, OutgoingEnvelope } from './channel-contract.js';

/** The largest number of references. Mail programs need only the newest ones to sort a conversation. */
export const MOST_REFERENCES = 20;
const FILE_ID = /^fil_[\w-]{22}$/;

/**
 * Returns the known members of a stored envelope, or undefined when a known member is invalid. Other members are
 * dropped. SQL of a tool can store any JSON as an envelope, so a channel must not trust the types of a stored envelope.
 */
export function readEnvelope(stored: unknown): OutgoingEnvelope | null | undefined {
  if (stored === null || stored === undefined) return null;
  if (!isJsonObject(stored)) return undefined;
  const { from, replyTo, references, attachments } = stored;
  if (from !== undefined && !isMailbox(from)) return undefined;
  if (replyTo !== undefined && !isMailbox(replyTo)) return undefined;
  if (references !== undefined && !areReferences(references)) return undefined;
  if (attachments !== undefined && !areAttachments(attachments)) return undefined;
  return {
    ...(from && { from: { name: from.name, address: from.address } }),
    ...(replyTo && { replyTo: { name: replyTo.name, address: replyTo.address } }),
    ...(references && { references }),
    ...(attachments && {
      attachments: attachments.map(({ fileId, name, contentType, size, cid }) => ({
        fileId,
        name,
        contentType,
        size,
        ...(cid !== undefined && { cid }),
      })),
    }),
  };
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every((item) => isItem(item));
}

/** Returns true for references that are within the limit of a message. */
function areReferences(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= MOST_REFERENCES && isListOf(value, isReference);
}

function isReference(value: unknown): value is string {
  return typeof value === 'string' && isMessageId(value);
}

/** Returns true for a list of attachments that is within the limits of a message. */
function areAttachments(value: unknown): value is OutgoingAttachment[] {
  return (
    Array.isArray(value) &&
    value.length <= MOST_ATTACHMENTS &&
    isListOf(value, isAttachment) &&
    value.reduce((sum, { size }) => sum + size, 0) <= MOST_ATTACHED_BYTES
  );
}

function isAttachment(value: unknown): value is OutgoingAttachment {
  if (!isJsonObject(value)) return false;
  const { fileId, name, contentType, size, cid } = value;
  return (
    isMatch(fileId, FILE_ID) &&
    typeof name === 'string' &&
    name !== '' &&
    safeName(name) === name &&
    typeof contentType === 'string' &&
    attachmentTypeOf(contentType) === contentType &&
    Number.isSafeInteger(size) &&
    (size as number) >= 0 &&
    (cid === undefined || isMatch(cid, CONTENT_ID))
  );
}

function isMatch(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}
