import { Script } from 'node:vm';

/**
 * The main module of a process that inlines the CSS of HTML. It is JavaScript, because tests start it without a build.
 * The process gets one HTML document after the other. It is ended after the last one, so that its memory is free again.
 *
 * @import { InlinedHtml } from './html-job.js'
 */

/**
 * The largest result. A few kilobytes of CSS can become many megabytes in elements, and the parent process needs time
 * for each megabyte.
 */
const MOST_CHARACTERS = 1024 * 1024;
/** The longest time for one HTML document. The parent process ends this process earlier, unless the parent is gone. */
const MOST_MS = 10_000;
const OPTIONS = {
  // Rules that match nothing stay, because Liquid may create elements with their classes.
  removeStyleTags: false,
  removeInlinedSelectors: true,
};

// Ctrl-C and systemd send these signals to all processes. The parent process still waits for the work of this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());

// Loading the packages takes long, so they are loaded after the handlers of signals are set. The entry point
// `juice/client.js` has no code that loads style sheets or images from their addresses.
const { default: juice } = await import('juice/client.js');
// Juice would replace code of other template languages by words, and later replace these words by the code, even where
// the author wrote such a word. The Liquid markup of the HTML is hidden already.
for (const name of Object.keys(juice.codeBlocks)) delete juice.codeBlocks[name];

let html = '';
globalThis.inline = inline;
// The process cannot handle `disconnect` while the script runs. So when the parent is gone, the timeout of the script
// ends the process.
const script = new Script('inline()');

process.on('message', (/** @type {string} */ next) => {
  html = next;
  process.send(script.runInThisContext({ timeout: MOST_MS }));
});
process.send('ready');

/**
 * Inlines the CSS of the HTML.
 *
 * @returns {InlinedHtml}
 */
function inline() {
  try {
    const inlined = juice(html, OPTIONS);
    return inlined.length > MOST_CHARACTERS
      ? { isTooLong: true }
      : { html: inlined, isTooLong: false };
  } catch {
    return { isTooLong: false };
  }
}
