import { describe, expect, it } from 'vitest';
import { parseTime } from './parse-time.js';

describe(parseTime, () => {
  it.each(['2030-02-28T12:00:00Z', '2028-02-29T12:00:00.123+05:30', '2030-02-28 12:00:00z'])(
    'parses %s',
    (text) => {
      expect(parseTime(text)?.getTime()).toBe(Date.parse(text));
    },
  );

  it.each([undefined, 7, '', '2030-02-28', '2030-13-01T00:00:00Z', 'now', '2030-02-28T12:00:00'])(
    'refuses %j',
    (text) => {
      expect(parseTime(text)).toBeUndefined();
    },
  );
});
