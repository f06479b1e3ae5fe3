/** Returns a path of this site. An address of another one, which a link may have put there, gives undefined. */
export function ownPath(value: unknown): string | undefined {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) ? value : undefined;
}
