/** An encoded word has at most 75 characters (RFC 2047, section 2), of which 12 are around the content. */
const MAX_BYTES_OF_WORD = 45;

/**
 * Returns a subject that mail programs show as it is. They decode words such as `=?utf-8?q?=0A?=`, in which untrusted
 * text could hide line breaks or other text, so a subject with such a word is encoded whole (RFC 2047).
 */
export function plainSubject(subject: string): string {
  if (!subject.includes('=?')) return subject;
  const words = [''];
  for (const character of subject) {
    const word = words.at(-1)! + character;
    if (Buffer.byteLength(word) > MAX_BYTES_OF_WORD) words.push(character);
    else words[words.length - 1] = word;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
