import { AppError } from '../errors/app-error.js';
import type { LiquidSandbox } from '../liquid/liquid-sandbox.js';

const LONGEST_SUBJECT = 500;
const LONGEST_BODY_BYTES = 256 * 1024;

export interface MessageContent {
  subject: string;
  body: string;
}

/**
 * Subject and body as they are sent. With a scope both are Liquid templates over it; without one they are taken
 * literally, so that text from elsewhere is never executed. Throws `invalid_arguments`.
 */
export function writeContent(
  given: MessageContent,
  scope: object | undefined,
  liquid: LiquidSandbox,
): MessageContent {
  const content = scope
    ? { subject: liquid.render(given.subject, scope), body: liquid.render(given.body, scope) }
    : given;
  const fault = subjectFault(content.subject);
  if (fault) throw refused('subject', fault);
  if (content.body.trim() === '') throw refused('body', 'must not be empty');
  // What was sent is checked already, but a template can make what it was not given: {{ '%00' | url_decode }}.
  if (content.body.includes('\0')) throw refused('body', 'must not contain the character U+0000');
  if (Buffer.byteLength(content.body) > LONGEST_BODY_BYTES) {
    throw refused('body', `must have at most ${LONGEST_BODY_BYTES / 1024} KiB`);
  }
  return content;
}

function subjectFault(subject: string): string | undefined {
  if (subject.trim() === '') return 'must not be empty for the email channel';
  // Line breaks would end the header and begin another.
  if (/[\p{Cc}\u2028\u2029]/u.test(subject)) {
    return 'must not contain line breaks or control characters';
  }
  return subject.length > LONGEST_SUBJECT
    ? `must have at most ${LONGEST_SUBJECT} characters`
    : undefined;
}

function refused(path: string, message: string): AppError {
  return AppError.invalid(`${path} ${message}.`, [{ path, message }]);
}
