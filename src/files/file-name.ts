import { parseUrl } from '../text/parse-url.js';

const MOST_CHARACTERS = 100;
/** Matches control characters, marks of direction, and characters that a path or a file system treats specially. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}"*/:<>?\\|]/gu;

/**
 * Returns a name for a file from the header Content-Disposition (RFC 6266) or else from the URL of a response. The name has
 * no folders, no control characters, and 1 to 100 characters.
 */
export function fileNameOf(disposition: string | undefined, url: string): string {
  return (
    safeName(disposition === undefined ? '' : namedBy(disposition)) ||
    safeName(lastPartOf(url)) ||
    'file'
  );
}

/** Returns the header with which a browser saves a file under its name (RFC 6266, RFC 8187). */
export function attachment(name: string): string {
  const plain = name.replace(/[^ !#-[\]-~]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Returns the value of `filename*` in UTF-8, or of `filename`, or an empty text. */
function namedBy(disposition: string): string {
  const given = disposition.slice(0, 2000);
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']{0,40}'([^\s;]{1,1000})/i.exec(given)?.[1];
  const decoded = extended === undefined ? '' : decoded8187(extended);
  if (decoded !== '') return decoded;
  const [, quoted, token] =
    /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.){0,1000})"|([^\s;"]{1,1000}))/i.exec(given) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? token ?? '';
}

function lastPartOf(url: string): string {
  const parts = parseUrl(url)?.pathname.split('/') ?? [];
  return decoded8187(parts.findLast((part) => part !== '') ?? '');
}

function decoded8187(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Returns a name without folders and control characters, at most 100 characters, or an empty text. */
export function safeName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const clean = last.toWellFormed().replace(UNSAFE, '').trim();
  // A name of dots is a folder. A name that begins with a dot is hidden.
  const visible = clean.replace(/^[.\s]+/, '');
  if ([...visible].length <= MOST_CHARACTERS) return visible;
  const [extension = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(visible) ?? [];
  const stem = [...visible].slice(0, MOST_CHARACTERS - extension.length).join('');
  return `${stem}${extension}`;
}
