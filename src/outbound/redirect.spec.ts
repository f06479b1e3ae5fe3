import { describe, expect, it } from 'vitest';
import { redirectOf, requestTo } from './redirect.js';
import type { RequestContent } from './request-content.js';

const POST: RequestContent = {
  method: 'POST',
  url: 'https://api.example.com/a/b?c=1',
  headers: {
    accept: '*/*',
    authorization: 'Bearer t',
    'content-type': 'application/json',
    'idempotency-key': 'k',
    'x-api-key': 's',
  },
  body: Buffer.from('{}'),
};
const redirect = (status: number, location: string | undefined, request = POST) =>
  redirectOf(request, { status, headers: { location } });

describe(redirectOf, () => {
  it.each([200, 300, 304, 305, 400])('returns no request after the status %i', (status) => {
    expect(redirect(status, '/next')).toBeUndefined();
  });

  it('returns no request for a redirect without a location', () => {
    expect(redirect(302, undefined)).toBeUndefined();
  });

  it.each([307, 308])('repeats the request after %i', (status) => {
    expect(redirect(status, '../next')).toEqual({
      ...POST,
      url: 'https://api.example.com/next',
    });
  });

  it.each([301, 302, 303])('turns a POST into a GET without a body after %i', (status) => {
    const next = redirect(status, '?d=2')!;
    expect(next).toMatchObject({ method: 'GET', url: 'https://api.example.com/a/b?d=2' });
    expect(next.body).toBeUndefined();
    expect(Object.keys(next.headers)).not.toContain('content-type');
  });

  it('keeps the method of a PUT after 302 and of a HEAD after 303', () => {
    expect(redirect(302, '/x', { ...POST, method: 'PUT' })).toMatchObject({ method: 'PUT' });
    expect(redirect(303, '/x', { ...POST, method: 'HEAD' })).toMatchObject({ method: 'HEAD' });
  });

  it.each(['https://other.example.com/', 'https://api.example.com:8443/', '//other.example.com/x'])(
    'leaves out headers that may identify the caller when the redirect leads to another origin: %s',
    (location) => {
      expect(redirect(307, location)!.headers).toEqual({
        accept: '*/*',
        'content-type': 'application/json',
        'idempotency-key': 'k',
      });
    },
  );

  it.each(['http://api.example.com/', 'file:///etc/passwd', 'https://[', 'data:text/plain,x'])(
    'refuses %s',
    (location) => {
      expect(() => redirect(302, location)).toThrow(/^The other system (redirects|leads) /);
    },
  );
});

describe(requestTo, () => {
  it.each(['http://api.example.com/next', 'http://other.example.com/'])(
    'refuses %s after a request with https',
    (url) => {
      expect(() => requestTo(POST, new URL(url))).toThrow(
        'The other system leads from https to a URL without https. The step does not request it.',
      );
    },
  );

  it('lets a request without https go to https', () => {
    const plain = { ...POST, url: 'http://api.example.com/' };
    expect(requestTo(plain, new URL('https://api.example.com/next')).url).toBe(
      'https://api.example.com/next',
    );
  });
});
