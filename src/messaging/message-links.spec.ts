import { describe, expect, it } from 'vitest';
import { MessageLinks } from './message-links.js';

const SIGNATURE = 'Ab-_9'.repeat(8) + 'xyz';
const TARGET = 'org_a1.con_b2.msg_c3.';

describe(MessageLinks, () => {
  const urls = {
    preferences_url: `http://a/preferences/${TARGET}.${SIGNATURE}`,
    unsubscribe_url: `http://a/u/${TARGET}news.${SIGNATURE}`,
  };
  const links = new MessageLinks(urls);
  const { preferences_url: preferences, unsubscribe_url: unsubscribe } = links.variables;

  it('gives templates links without a signature, and makes them valid in rendered texts', () => {
    const text = `${preferences} <a href="${unsubscribe}">`;
    expect(text).not.toContain('Ab');
    expect(links.fillIn(text)).toBe(`${urls.preferences_url} <a href="${urls.unsubscribe_url}">`);
    const encoded = links.fillIn(encodeURIComponent(preferences!));
    expect(decodeURIComponent(encoded)).toBe(urls.preferences_url);
  });

  it('adds no signature to a link of another message', () => {
    const other = preferences!.replace('msg_c3', 'msg_c4');
    expect(links.fillIn(other)).toBe(other);
  });
});
