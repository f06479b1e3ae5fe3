import { parentPort, workerData } from 'node:worker_threads';

/**
 * Is the main module of a thread that inlines the CSS of HTML and derives texts from it. It is JavaScript, because
 * tests start it without a build. The thread ends after one job, so that its memory is free again.
 *
 * @import { HtmlJob, HtmlReply } from './html-job.js'
 */

/** @type {HtmlJob} */
const job = workerData;
/** @type {HtmlReply} */
const reply = await Promise.all(
  job.map(async ({ html, needsText }) => ({
    html: await inline(html),
    text: needsText ? await toText(html) : undefined,
  })),
);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort.postMessage(reply);

/**
 * This entry of juice has no code that loads style sheets or images from their addresses.
 *
 * @param {string} html
 */
async function inline(html) {
  if (!/<style/i.test(html)) return html;
  const { default: juice } = await import('juice/client.js');
  try {
    // Rules that match nothing stay, because Liquid may make the classes that they are for.
    return juice(html, { removeStyleTags: false, removeInlinedSelectors: true });
  } catch {
    return undefined;
  }
}

/** @param {string} html */
async function toText(html) {
  const { convert } = await import('html-to-text');
  const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
  return convert(html, {
    wordwrap: false,
    limits: { maxInputLength: 1024 * 1024, maxDepth: 200 },
    selectors: [
      // Upper case would change variables.
      ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
      { selector: 'img', format: 'skip' },
      { selector: 'table', options: { uppercaseHeaderCells: false } },
    ],
  });
}
