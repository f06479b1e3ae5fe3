import { parseUrl } from '../text/parse-url.js';

const MOST_CHARACTERS = 100;
/**
 * The longest header Content-Disposition that is read. A name of 255 characters in UTF-8 needs up to 3,060 characters.
 */
const MOST_DISPOSITION = 4000;
/**
 * Matches control characters, characters that change the direction of text, and characters that a path or a file system
 * treats specially.
 */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}"*/:<>?\\|]/gu;

/**
 * Returns a name for a file from the header Content-Disposition (RFC 6266) or else from the URL of a response. The name
 * has no folders, no control characters, and 1 to 100 characters. `hide` removes secrets from texts. It is called after
 * the names are decoded, and again after characters are removed, because both steps can make a secret readable.
 */
export async function fileNameOf(
  disposition: string | undefined,
  url: string,
  hide: (names: readonly string[]) => Promise<readonly string[]> = (names) =>
    Promise.resolve(names),
): Promise<string> {
  const decoded = [disposition === undefined ? '' : namedBy(disposition), lastPartOf(url)];
  const clean = await hide((await hide(decoded)).map(cleanName));
  return cutName(clean.find((name) => name !== '') ?? 'file');
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

/**
 * Returns the value of `filename*` in UTF-8, or of `filename`, or an empty text. Never returns a part of a value,
 * because a part of a secret would not be recognized.
 */
function namedBy(disposition: string): string {
  if (disposition.length > MOST_DISPOSITION) return '';
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']{0,40}'([^\s;]+)/i.exec(disposition)?.[1];
  const decoded = extended === undefined ? '' : decoded8187(extended);
  if (decoded !== '') return decoded;
  const [, quoted, token] =
    /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition) ?? [];
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
  return cutName(cleanName(given));
}

function cleanName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const clean = last.toWellFormed().replace(UNSAFE, '').trim();
  // A name that consists of dots means a folder. A file whose name begins with a dot is hidden.
  return clean.replace(/^[.\s]+/, '');
}

function cutName(name: string): string {
  if ([...name].length <= MOST_CHARACTERS) return name;
  const [extension = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(name) ?? [];
  const stem = [...name].slice(0, MOST_CHARACTERS - extension.length).join('');
  return `${stem}${extension}`;
}
