import { describe, expect, it, vi } from 'vitest';
import type { HttpPagesInput } from './http-request.inputs.js';
import { itemsOf, nextPage } from './next-page.js';

const page = (json: unknown, link?: string, url = 'https://api.example.com/list?limit=2') => ({
  url,
  link,
  body: { json, text: null },
});
const pages = (given: Partial<HttpPagesInput>): HttpPagesInput => ({
  items: '',
  max: 20,
  ...given,
});

describe(itemsOf, () => {
  it('returns the list at the path `items`, or the JSON itself for an empty path', () => {
    expect(itemsOf(page([1]), pages({}))).toEqual([1]);
    expect(itemsOf(page({ data: { items: [2] } }), pages({ items: 'data.items' }))).toEqual([2]);
  });

  it.each(['constructor', 'data', 'data.items.x', '__proto__'])('finds no list at %s', (items) => {
    expect(() => itemsOf(page({ data: { items: 1 } }), pages({ items }))).toThrow(
      `The response has no list at ${items}.`,
    );
  });
});

describe(nextPage, () => {
  const next = (given: Partial<HttpPagesInput>, json: unknown, count = 1) =>
    nextPage(page(json), pages(given), count)?.href;

  it.each<[string, string | undefined]>([
    ['<https://api.example.com/list?page=2>; rel="next"', 'https://api.example.com/list?page=2'],
    [
      '</list?page=1>; rel="prev", </list?page=3>; rel="next"',
      'https://api.example.com/list?page=3',
    ],
    ['</list?page=3>; title="a; b"; rel="last next"', 'https://api.example.com/list?page=3'],
    ['</list?page=3>; REL=next, </x>; rel=last', 'https://api.example.com/list?page=3'],
    ['</list?page=3>; rel="last"', undefined],
    ['nonsense', undefined],
  ])('reads the header Link: %s', (link, found) => {
    expect(nextPage(page([], link), pages({ next: 'link' }), 1)?.href).toBe(found);
  });

  it('reads a URL or a cursor from the JSON', () => {
    expect(next({ next: 'meta.next' }, { meta: { next: '/list?after=2' } })).toBe(
      'https://api.example.com/list?after=2',
    );
    expect(next({ next: 'cursor', cursor_parameter: 'after' }, { cursor: 'a b' })).toBe(
      'https://api.example.com/list?limit=2&after=a+b',
    );
  });

  it.each([undefined, null, '', false])('returns no next page when the cursor is %j', (cursor) => {
    expect(next({ next: 'cursor', cursor_parameter: 'after' }, { cursor })).toBeUndefined();
  });

  it('increments a parameter until a page is empty', () => {
    expect(next({ page_parameter: 'page' }, [1])).toBe(
      'https://api.example.com/list?limit=2&page=2',
    );
    expect(next({ page_parameter: 'page' }, [], 0)).toBeUndefined();
  });

  it.each([{}, [], true])('refuses %j as the cursor of the next page', (cursor) => {
    expect(() => next({ next: 'cursor' }, { cursor })).toThrow('no text or number at cursor');
  });

  it('refuses a cursor that is too long, without encoding it', () => {
    const set = vi.spyOn(URLSearchParams.prototype, 'set');
    const given = { next: 'cursor', cursor_parameter: 'after' };
    expect(() => next(given, { cursor: '中'.repeat(8193) })).toThrow('or is too long');
    expect(set).not.toHaveBeenCalled();
    set.mockRestore();
    expect(next(given, { cursor: '中'.repeat(8192) })).toMatch(/%AD$/);
  });
});
