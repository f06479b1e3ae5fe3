import { describe, expect, it } from 'vitest';
import { WebhookChannel } from '../channels/webhook-channel.js';
import { fileNameOf } from '../files/file-name.js';
import { FaultList } from '../errors/fault-list.js';
import { Origins } from '../http/origins.js';
import type { HttpPagesInput } from '../outbound/http-request.inputs.js';
import { nextPage } from '../outbound/next-page.js';
import { parseTarget } from '../outbound/outbound-target.js';
import { redirectOf } from '../outbound/redirect.js';
import { endsAfterHost } from '../outbound/secrets-in-urls.js';
import { domainOf, parseDomain } from '../senders/parse-domain.js';
import { checkValue } from '../tools/schema/check-value.js';
import { headerValueFault } from '../workflows/definitions/webhook-answer.js';
import { messageIdOf } from './message-id.js';
import { normalizeEmail } from './parse-email.js';

/** Returns text whose conversion to A-labels takes a time that grows with the square of its length. */
const distinct = (length: number): string =>
  String.fromCodePoint(...Array.from({ length }, (_, index) => 0x4e00 + index));
const HOST = `${distinct(600)}.com`;
const URL_TEXT = `https://${HOST}/file.txt`;

describe('a host that is longer than DNS allows', () => {
  const request = { method: 'GET', url: 'https://api.example.com/', headers: {} };
  const page = (json: unknown) => ({
    url: request.url,
    link: undefined,
    body: { json, text: null },
  });
  const pages: HttpPagesInput = { items: '', next: 'next', max: 20 };

  it('is refused as the target of a request', () => {
    expect(() => parseTarget(URL_TEXT)).toThrow(
      expect.objectContaining({ details: [{ path: 'url', message: 'must be an absolute URL' }] }),
    );
  });

  it.each([URL_TEXT, `//${HOST}/`])('is refused as the next page %#', (next) => {
    expect(() => nextPage(page({ next }), pages, 1)).toThrow(
      'The address of the next page is not a URL, or is too long.',
    );
  });

  it.each([URL_TEXT, `//${HOST}/`])('is refused in a redirect %#', (location) => {
    expect(() => redirectOf(request, { status: 302, headers: { location } })).toThrow(
      'The other system redirects to a location that is not a URL, or is too long.',
    );
  });

  it('forbids secrets in the rest of its URL', () => {
    expect(endsAfterHost(URL_TEXT)).toBe(false);
  });

  it('is refused in an argument with the format uri', () => {
    const faults = new FaultList();
    checkValue({ type: 'string', format: 'uri' }, URL_TEXT, 'page', faults);
    expect(faults.first).toEqual([{ path: 'page', message: 'must be a URL' }]);
  });

  it('is refused in the address of a webhook', () => {
    const channel = new WebhookChannel(undefined as never);
    expect(channel.isAddress(`https://${distinct(300)}.com/`)).toBe(false);
  });

  it('is not used to name a file', async () => {
    expect(await fileNameOf(undefined, URL_TEXT)).toBe('file');
  });

  it('is refused in the location of an answer', () => {
    const escaped = encodeURIComponent(distinct(100));
    expect(headerValueFault('location', `https://${escaped}.com/`)).toContain('must be an address');
  });

  it('is refused in Host and Origin', () => {
    const origins = new Origins({ isLoopback: true });
    // The parser removes soft hyphens.
    const host = `${'%C2%AD'.repeat(100)}localhost`;
    expect(origins.allows({ host })).toBe(false);
    expect(origins.allows({ host: 'localhost', origin: `http://${host}` })).toBe(false);
  });

  it('is not converted to another form in addresses and domains', () => {
    expect(parseDomain(HOST)).toHaveProperty('fault');
    expect(domainOf(`ada@${HOST}`)).toBe('');
    expect(messageIdOf('msg_1', `ada@${HOST}`)).toBe(`<msg_1@${HOST}>`);
    expect(normalizeEmail(`Ada@${'Ａ'.repeat(300)}.com`)).toBe(`ada@${'ａ'.repeat(300)}.com`);
  });
});

describe('the cursor of a next page', () => {
  it('is refused when it makes a URL that is too long', () => {
    const page = {
      url: 'https://api.example.com/',
      link: undefined,
      body: { json: { next: 'x'.repeat(100_000) }, text: null },
    };
    const pages = { items: '', next: 'next', cursor_parameter: 'after', max: 20 };
    expect(() => nextPage(page, pages, 1)).toThrow(
      'The address of the next page is not a URL, or is too long.',
    );
  });
});
