import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';

const BUILT = resolve(import.meta.dirname, '../../dist/web');
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'";
const NAVIGATION = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

describe('the dashboard over HTTP', () => {
  let switchboard: RunningSwitchboard;
  const files = JSON.parse(readFileSync(join(BUILT, 'files.json'), 'utf8')) as { path: string }[];
  const script = files.map(({ path }) => path).find((path) => /^\/assets\/.*\.js$/.test(path))!;
  const page = readFileSync(join(BUILT, 'index.html'));

  /** Sends the path as it is written, without the normalisation of `fetch`. */
  const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Answer>((done, fail) => {
      const sent = request(switchboard.url, { path, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          done({
            status: response.statusCode!,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      });
      sent.on('error', fail).end();
    });

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
  });

  it('answers the root with the page and the policy, and makes browsers revalidate the page at each use', async () => {
    const { status, headers, body } = await send('/');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toBe(POLICY);
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['set-cookie']).toBeUndefined();
    expect(body).toEqual(page);
  });

  it.each(['/contacts', '/contacts/8d6c', '/settings/developer', '/apiary'])(
    'answers a browser that opens %s with the page',
    async (path) => {
      const { status, body } = await send(path, NAVIGATION);
      expect(status).toBe(200);
      expect(body).toEqual(page);
    },
  );

  it('answers 404 when a client that is not a browser requests the path of a page', async () => {
    for (const Accept of ['*/*', 'application/json']) {
      const { status, headers } = await send('/contacts', { Accept });
      expect(status).toBe(404);
      expect(headers['content-type']).toContain('application/problem+json');
    }
  });

  it.each([
    '/api',
    '/api/nothing',
    '/API/nothing',
    '//api/nothing',
    '/%61pi/nothing',
    '/api/mcp/nothing',
    '/health',
    '/health/nothing',
    '/oauth/authorize',
    '/.well-known/oauth-protected-resource',
    '/mcp',
    '/assets/gone-12345678.js',
    '/files.json',
    '/.build-stamp',
    '/robots.txt',
    '/../package.json',
    '/assets/../../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/index.html.br',
  ])('never answers %s with the page, even to a browser', async (path) => {
    const { status, headers, body } = await send(path, NAVIGATION);
    expect(status).toBe(404);
    expect(headers['content-type']).toContain('application/problem+json');
    expect(headers['cache-control']).toBe('no-store');
    expect(JSON.parse(body.toString())).toMatchObject({ code: 'not_found' });
  });

  it('answers POST, PUT, PATCH and DELETE with 404 and never with the page', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await send('/contacts', NAVIGATION, method)).status).toBe(404);
    }
  });

  it('serves files with a hash in their name as immutable', async () => {
    const { status, headers } = await send(script);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-security-policy']).toBe(POLICY);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('serves the compressed copy to a client that accepts %s', async (encoding, decompress) => {
    const plain = await send(script);
    const { headers, body } = await send(script, { 'Accept-Encoding': encoding });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers.vary).toContain('Accept-Encoding');
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(body.length).toBeLessThan(plain.body.length);
    expect(decompress(body)).toEqual(plain.body);
  });

  it('prefers Brotli, and serves the plain file to a client that accepts no encoding', async () => {
    const both = await send(script, { 'Accept-Encoding': 'gzip, deflate, br, zstd' });
    expect(both.headers['content-encoding']).toBe('br');
    for (const accepted of ['identity', 'zstd', 'br;q=0, gzip;q=0']) {
      const { headers } = await send(script, { 'Accept-Encoding': accepted });
      expect(headers['content-encoding']).toBeUndefined();
    }
  });

  it('reads only the first 200 characters of Accept-Encoding', async () => {
    const filler = 'a,'.repeat(7000);
    const before = await send(script, { 'Accept-Encoding': `gzip,${filler}` });
    expect(before.headers['content-encoding']).toBe('gzip');
    const after = await send(script, { 'Accept-Encoding': `${filler}gzip` });
    expect(after.status).toBe(200);
    expect(after.headers['content-encoding']).toBeUndefined();
  });

  it('answers HEAD with the headers of GET and without a body', async () => {
    const get = await send('/');
    const head = await send('/', {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    for (const name of ['content-type', 'content-length', 'etag', 'content-security-policy']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });

  it('answers 304 when the client has this content in this encoding', async () => {
    const plain = await send('/');
    const gzip = await send('/', { 'Accept-Encoding': 'gzip' });
    expect(gzip.headers.etag).not.toBe(plain.headers.etag);
    const again = await send('/', { 'If-None-Match': `W/"x", ${String(plain.headers.etag)}` });
    expect(again.status).toBe(304);
    expect(again.body).toHaveLength(0);
    expect(again.headers['content-security-policy']).toBe(POLICY);
    const other = await send('/', {
      'Accept-Encoding': 'gzip',
      'If-None-Match': String(plain.headers.etag),
    });
    expect(other.status).toBe(200);
  });

  it('serves the licences of the packages in its scripts', async () => {
    const { status, headers, body } = await send('/licenses.txt');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    for (const name of ['react-dom', '@tanstack/react-router', '@base-ui/react']) {
      expect(body.toString()).toContain(name);
    }
  });

  it('loads files of this server only: no inline script or style, and no address of another origin', () => {
    const html = page.toString();
    expect(html).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|https?:\/\//i);
  });
});
