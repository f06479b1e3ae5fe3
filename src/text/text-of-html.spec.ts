import { describe, expect, it } from 'vitest';
import { textOfHtml } from './text-of-html.js';

describe('textOfHtml', () => {
  it.each([
    ['a paragraph', '<p>Hello <b>Ada</b></p><p>Bye</p>', 'Hello Ada\n\nBye'],
    ['a heading as it was written', '<h1>Ihre Straße</h1>', 'Ihre Straße'],
    [
      'a link with its address',
      '<a href="https://a.example/x">Pay</a>',
      'Pay (https://a.example/x)',
    ],
    ['an address once', '<a href="https://a.example">https://a.example</a>', 'https://a.example'],
    ['the text of an image', '<img src="cid:logo" alt="Acme">', 'Acme'],
    ['no image without a text', '<p>a<img src="https://t.example/p.gif"></p>', 'a'],
    ['no styles and scripts', '<style>p{}</style><script>x()</script><p>a</p>', 'a'],
    ['entities', '&lt;b&gt; &amp; &#128512;', '<b> & 😀'],
    ['a list', '<ul><li>one<li>two</ul>', '* one\n * two'],
    ['nothing', '<img src=x>', ''],
  ])('returns %s', async (_case, html, text) => {
    expect(await textOfHtml(html)).toBe(text);
  });

  it('keeps long lines', async () => {
    const words = 'word '.repeat(100).trim();
    expect(await textOfHtml(`<p>${words}</p>`)).toBe(words);
  });

  it('refuses more tags than it can read at once', async () => {
    await expect(textOfHtml('<i>'.repeat(20_001))).rejects.toThrow(/more than 20000 tags/);
    expect(await textOfHtml('<i>'.repeat(20_000))).toBe('...');
  });
});
