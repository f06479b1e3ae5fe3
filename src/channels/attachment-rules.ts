/** The largest number of attachments of a message. */
export const MOST_ATTACHMENTS = 20;
/** The largest number of bytes that the attachments of a message have together. */
export const MOST_ATTACHED_BYTES = 10 * 1024 * 1024;
/** Matches the content id of an inline attachment. */
export const CONTENT_ID = /^[\w.-]{1,64}$/;
/** Matches the type and the subtype of a media type. The rest, such as parameters, is dropped. */
const MEDIA_TYPE = /^([a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63})(?:\s*;|$)/;
const ANY_TYPE = 'application/octet-stream';

/**
 * Returns the media type of an attachment. Types that mail programs would read as parts of the e-mail itself are
 * replaced.
 */
export function attachmentTypeOf(contentType: string): string {
  const [, type = ANY_TYPE] = MEDIA_TYPE.exec(contentType.toLowerCase()) ?? [];
  return /^(?:multipart|message)\//.test(type) ? ANY_TYPE : type;
}
