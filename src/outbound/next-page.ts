import { AppError, type Fault } from '../errors/app-error.js';
import { parseUrl } from '../text/parse-url.js';
import type { HttpPagesInput } from './http-request.inputs.js';
import type { ParsedBody } from './response-body.js';

/** The largest number of characters of a cursor. The URL of a request has the same limit. */
const LONGEST_CURSOR = 8192;

/** One page of a list: its address, the value of its header Link, and its body. */
export interface Page {
  readonly url: string;
  readonly link: unknown;
  readonly body: ParsedBody;
}

/** Returns the faults of `pages` as a whole. The caller has already checked its members. */
export function pagesFaults(given: unknown): readonly Fault[] {
  if (typeof given !== 'object' || given === null) return [];
  const { next, page_parameter: counter } = given as Partial<HttpPagesInput>;
  if ((next === undefined) !== (counter === undefined)) return [];
  return [{ path: 'pages', message: 'must have either next or page_parameter' }];
}

/** Returns the items of a page. Throws `rejected` if there is no list at the place that `items` names. */
export function itemsOf({ body }: Page, { items }: HttpPagesInput): readonly unknown[] {
  const list = valueAt(body.json, items);
  if (Array.isArray(list)) return list;
  const place =
    items === '' ? 'The response is not a JSON list.' : `The response has no list at ${items}.`;
  throw new AppError('rejected', place);
}

/** Returns the URL of the next page, or undefined after the last page. */
export function nextPage(page: Page, pages: HttpPagesInput, count: number): URL | undefined {
  const { next, cursor_parameter: cursor, page_parameter: counter } = pages;
  if (counter !== undefined) return count === 0 ? undefined : counted(page.url, counter);
  const found = next === 'link' ? linkedPage(page.link) : valueAt(page.body.json, next ?? '');
  if (found === undefined || found === null || found === '' || found === false) return undefined;
  if (typeof found !== 'string' && typeof found !== 'number') {
    throw new AppError('rejected', `The response has no text or number at ${next}.`);
  }
  if (cursor !== undefined) return withParameter(page.url, cursor, String(found));
  return urlOf(String(found), page.url);
}

/** Returns the first target of the relation `next` in a header Link (RFC 8288). */
function linkedPage(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined;
  for (const link of header.split('<').slice(1)) {
    const [target = '', parameters = ''] = link.split('>', 2);
    const relations = parameters
      .split(';')
      .map((parameter) => parameter.replace(/,\s*$/, '').trim().toLowerCase())
      .filter((parameter) => parameter.startsWith('rel='))
      .flatMap((parameter) => parameter.slice(4).replaceAll('"', '').split(/\s/));
    if (relations.includes('next')) return target.trim();
  }
  return undefined;
}

function counted(url: string, parameter: string): URL {
  const current = Number(urlOf(url).searchParams.get(parameter) ?? '1');
  if (!Number.isSafeInteger(current)) {
    throw AppError.invalidField(`query.${parameter}`, 'must be the number of the first page');
  }
  return withParameter(url, parameter, String(current + 1));
}

function withParameter(given: string, name: string, value: string): URL {
  // Without this check, a cursor of 1 MiB would be encoded before the URL is found to be too long.
  if (value.length > LONGEST_CURSOR) throw notUrl();
  const url = urlOf(given);
  url.searchParams.set(name, value);
  return urlOf(url.href);
}

function urlOf(text: string, base?: string): URL {
  const url = parseUrl(text, base);
  if (!url) throw notUrl();
  return url;
}

function notUrl(): AppError {
  return new AppError('rejected', 'The address of the next page is not a URL, or is too long.');
}

/** Returns the value at a path such as `meta.next`, or undefined. An empty path is the value itself. */
function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  let current = value;
  for (const name of path.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) {
      return undefined;
    }
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}
