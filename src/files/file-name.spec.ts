import { describe, expect, it } from 'vitest';
import { attachment, fileNameOf } from './file-name.js';

const URL_OF_FILE = 'https://example.com/a/report%202026.pdf?key=secret';

describe('fileNameOf', () => {
  it.each<[string, string | undefined, string]>([
    ['the last part of the path', undefined, 'report 2026.pdf'],
    ['a quoted name', 'attachment; filename="Q \\"1\\".csv"', 'Q 1.csv'],
    ['a token', 'attachment; filename=a.csv', 'a.csv'],
    ['UTF-8 first', `attachment; filename="x.csv"; filename*=UTF-8''%e2%82%ac.csv`, '€.csv'],
    ['no folders', 'attachment; filename="../../etc/passwd"', 'passwd'],
    ['no folders of Windows', 'attachment; filename="C:\\\\x\\\\evil.exe"', 'evil.exe'],
    ['no control characters and marks', 'attachment; filename="a\u202egpj.exe\u0000"', 'agpj.exe'],
    ['no hidden names', 'attachment; filename="..htaccess"', 'htaccess'],
    ['the path when the name is empty', 'attachment; filename=".."', 'report 2026.pdf'],
    ['the path when the encoding is broken', `attachment; filename*=UTF-8''%zz`, 'report 2026.pdf'],
  ])('uses %s', async (_title, disposition, expected) => {
    expect(await fileNameOf(disposition, URL_OF_FILE)).toBe(expected);
  });

  it('returns a name for every response', async () => {
    expect(await fileNameOf(undefined, 'https://example.com/')).toBe('file');
    expect(await fileNameOf(undefined, 'https://example.com/%ff')).toBe('file');
    expect(await fileNameOf(`attachment; filename="${'ä'.repeat(400)}.pdf"`, URL_OF_FILE)).toBe(
      `${'ä'.repeat(96)}.pdf`,
    );
  });
});

describe('attachment', () => {
  it('quotes the name for old and new browsers', () => {
    expect(attachment("Grüße (1)'s.pdf")).toBe(
      `attachment; filename="Gr__e (1)'s.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%281%29%27s.pdf`,
    );
  });

  it('replaces the characters of a name that would end the quoted text or the header', () => {
    expect(attachment('a"; filename=b\r\nX: y\\')).toBe(
      `attachment; filename="a_; filename=b__X: y_"; filename*=UTF-8''a%22%3B%20filename%3Db%0D%0AX%3A%20y%5C`,
    );
  });
});
