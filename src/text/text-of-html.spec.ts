import { describe, expect, it } from 'vitest';
import { textOfHtml } from './text-of-html.js';

/** Runs `work` and returns the longest processor time, in milliseconds, for which other work got no turn. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let cpu = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(cpu);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    cpu = process.cpuUsage();
  }, 1);
  await work().catch((error: unknown) => expect(String(error)).toMatch(/too long/));
  clearInterval(timer);
  return longestMs;
}

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

  it.each([
    ['a table line by line', '<table><tr><td>a<td>b</tr><tr><td>c</table>', 'a b\nc'],
    ['a list in a list', '<ol><li>a<ul><li>b</ul><li>c</ol>d', '1. a\n     * b\n 2. c\n\nd'],
    ['a quotation', 'a<blockquote>b<p>c</blockquote>d', 'a\n\n> b\n>\n> c\n\nd'],
    ['lines as they are', '<pre>a  b\n\n c</pre>', 'a  b\n\n c'],
    [
      'the address of a picture',
      '<a href="https://a.example"><img src=x></a>',
      'https://a.example',
    ],
    ['an address once', '<a href="mailto:a@a.example">a@a.example</a>', 'a@a.example'],
    ['the end of a list that is not open', '</ul></li></blockquote></pre></a>a', 'a'],
    ['elements of any name', '<constructor>a</constructor>b', 'ab'],
    ['spaces once', '  a <b> b</b>\n<i>c </i> d', 'a b c d'],
  ])('returns %s', async (_case, html, text) => {
    expect(await textOfHtml(html)).toBe(text);
  });

  it.each([
    ['quoted lines', `${'<blockquote>'.repeat(190)}<pre>${'a\n'.repeat(200_000)}`],
    ['lists in lists', `${'<ul><li>'.repeat(20_000)}${'<br>a'.repeat(60_000)}`],
    ['elements that are not closed', '<b>a'.repeat(120_000)],
    ['ends of elements that are not open', '<b>'.repeat(60_000) + '</i>'.repeat(60_000)],
    ['paragraphs that are not closed', '<p>a'.repeat(120_000)],
    ['attributes', `<a ${Array.from({ length: 70_000 }, (_, at) => `a${at}`).join(' ')}>`],
    ['an attribute', `<a href="${'&amp;'.repeat(100_000)}">a</a>`],
    ['links in links', '<a href="b">a'.repeat(38_000)],
    ['entities', '&amp;'.repeat(100_000)],
    ['words', 'a '.repeat(250_000)],
  ])('lets other work have turns while it reads many %s', async (_case, html) => {
    let longestMs = Infinity;
    for (let attempt = 0; attempt < 3 && longestMs > 100; attempt += 1) {
      longestMs = await longestTurn(() => textOfHtml(html));
    }
    expect(longestMs).toBeLessThan(100);
  });
});
