/**
 * The largest number of bytes in an encoded word. Such a word has at most 75 characters (RFC 2047, section 2), and 12
 * of them are around the content.
 */
const MAX_BYTES_OF_WORD = 45;

/**
 * Returns a subject that mail programs show as it is. Mail programs decode words such as `=?utf-8?q?=0A?=`, in which
 * untrusted text could hide line breaks or other text. So a subject with such a word is encoded as a whole (RFC 2047).
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
