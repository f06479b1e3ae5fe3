import { describe, expect, it } from 'vitest';
import { SecretBox } from '../database/secret-box.js';
import { SecretMarkers } from './secret-markers.js';

const DATABASE = Buffer.alloc(32, 7);
const place = { runId: 'run_1', stepPath: 'send' };
const [OLD, NEW, OTHER] = ['old', 'new', 'other'].map((text) => text.padEnd(40, 'x'));

describe(SecretMarkers.name, () => {
  const markerOf = (key: string): string =>
    new SecretMarkers(new SecretBox(DATABASE, key)).variableFor(place, ['{{ secrets.token }}'])
      .token!;
  const fill = (markers: SecretMarkers, text: string): string =>
    // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- This object is no array.
    markers.fill(place, text, (name) => `<${name}>`);

  it('accepts markers of the current and of the previous key, so that steps survive a change of the key', () => {
    const markers = new SecretMarkers(new SecretBox(DATABASE, NEW, OLD));
    expect(fill(markers, markerOf(OLD!))).toBe('<token>');
    expect(fill(markers, markerOf(NEW!))).toBe('<token>');
    expect(markers.variableFor(place, ['secrets.token']).token).toBe(markerOf(NEW!));
    expect(markers.namesIn(place, markerOf(OLD!))).toEqual(['token']);
  });

  it('leaves markers of another key as text', () => {
    const markers = new SecretMarkers(new SecretBox(DATABASE, NEW, OLD));
    expect(fill(markers, markerOf(OTHER!))).toBe(markerOf(OTHER!));
  });
});
