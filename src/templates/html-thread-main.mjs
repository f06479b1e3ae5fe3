import { parentPort, workerData } from 'node:worker_threads';

/**
 * The main module of a thread that inlines the CSS of HTML. It is JavaScript, because tests start it without a build.
 * The thread ends after one job, so that its memory is free again.
 *
 * @import { HtmlJob, HtmlReply, InlinedHtml } from './html-job.js'
 */

/**
 * The largest result. A few kilobytes of CSS can become many megabytes in elements, and the main thread needs time for
 * each megabyte.
 */
const MOST_CHARACTERS = 1024 * 1024;

/** @type {HtmlJob} */
const job = workerData;
/** @type {HtmlReply} */
const reply = await Promise.all(job.map(inline));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort.postMessage(reply);

/**
 * Inlines the CSS of one HTML. The entry point `juice/client` has no code that loads style sheets or images from their
 * addresses.
 *
 * @param {string} html
 * @returns {Promise<InlinedHtml>}
 */
async function inline(html) {
  if (!/<style/i.test(html)) return { html, isTooLong: false };
  const { default: juice } = await import('juice/client.js');
  try {
    // Rules that match nothing stay, because Liquid may create elements with their classes.
    const inlined = juice(html, { removeStyleTags: false, removeInlinedSelectors: true });
    return inlined.length > MOST_CHARACTERS
      ? { isTooLong: true }
      : { html: inlined, isTooLong: false };
  } catch {
    return { isTooLong: false };
  }
}
