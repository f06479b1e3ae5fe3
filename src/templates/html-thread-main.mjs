import { parentPort } from 'node:worker_threads';
// This entry point has no code that loads style sheets or images from their addresses.
import juice from 'juice/client.js';

/**
 * The main module of a thread that inlines the CSS of HTML. It is JavaScript, because tests start it without a build.
 * The thread gets one HTML after the other, and is ended after the last one, so that its memory is free again.
 *
 * @import { InlinedHtml } from './html-job.js'
 */

/**
 * The largest result. A few kilobytes of CSS can become many megabytes in elements, and the main thread needs time for
 * each megabyte.
 */
const MOST_CHARACTERS = 1024 * 1024;

parentPort.on('message', (/** @type {string} */ html) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort.postMessage(inline(html));
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort.postMessage('ready');

/**
 * Inlines the CSS of one HTML.
 *
 * @param {string} html
 * @returns {InlinedHtml}
 */
function inline(html) {
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
