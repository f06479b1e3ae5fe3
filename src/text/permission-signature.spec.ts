import { describe, expect, it } from 'vitest';
import { hidePermissionSignatures } from './permission-signature.js';

const TARGET = 'org_a1.con_b2.msg_c3.';
const SIGNATURE = 'Ab-_9'.repeat(8) + 'xyz';

describe(hidePermissionSignatures, () => {
  it.each([
    ['a topic', 'news-1_a.'],
    ['no topic', '.'],
  ])('replaces the signature of every link with %s, and keeps the length', (_case, topic) => {
    const text = (rest: string): string =>
      `{"a":"http://a/u/${TARGET}${topic}${rest}","b":"(see ${TARGET}${topic}${rest}) &amp;"}`;
    expect(hidePermissionSignatures(text(SIGNATURE))).toBe(text('x'.repeat(43)));
  });

  it('replaces a truncated signature', () => {
    expect(hidePermissionSignatures(`${TARGET}news.Ab-`)).toBe(`${TARGET}news.xxx`);
  });

  it('replaces the signature of a link that directly follows the beginning of another link', () => {
    const text = (signature: string): string =>
      `org_1.con_1.msg_1..${'x'.repeat(6)}.con_b2.msg_c3..${signature}`;
    expect(hidePermissionSignatures(`org_1.con_1.msg_1..${TARGET}.${SIGNATURE}`)).toBe(
      text('x'.repeat(43)),
    );
  });

  it.each(['org_a1.con_b2', `${TARGET}news`, `${TARGET}news.`, 'org_a1.con_b2.run_c3.a.b'])(
    'keeps %s',
    (text) => expect(hidePermissionSignatures(text)).toBe(text),
  );
});
