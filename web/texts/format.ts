import { useMemo } from 'react';
import type { Language } from './define-texts.js';
import { useLanguage } from './language.tsx';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
const MILLISECONDS = 1000;
/** The largest distance in days at which a time is shown as relative, such as "2 days ago". */
const MOST_RELATIVE_DAYS = 7;

/** Formats values in the language and the time zone of the person. */
export class Formats {
  private readonly dateTime: Intl.DateTimeFormat;
  private readonly exact: Intl.DateTimeFormat;
  private readonly relative: Intl.RelativeTimeFormat;
  private readonly numbers: Intl.NumberFormat;

  constructor(
    readonly language: Language,
    timeZone?: string,
  ) {
    const tag = language === 'en' ? 'en-GB' : 'de-DE';
    this.dateTime = new Intl.DateTimeFormat(tag, {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone,
    });
    this.exact = new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeStyle: 'long', timeZone });
    this.relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' });
    this.numbers = new Intl.NumberFormat(tag);
  }

  /** Returns a date with its time to the minute. A text that is not a time is returned unchanged. */
  time(iso: string): string {
    return isTime(iso) ? this.dateTime.format(new Date(iso)) : iso;
  }

  /** Returns a time, precise to the second, with its time zone. */
  exactTime(iso: string): string {
    return isTime(iso) ? this.exact.format(new Date(iso)) : iso;
  }

  /** Returns how long ago a time was, or its date when it is more than a week ago. */
  timeAgo(iso: string, now: number): string {
    if (!isTime(iso)) return iso;
    const seconds = (Date.parse(iso) - now) / MILLISECONDS;
    if (Math.abs(seconds) > MOST_RELATIVE_DAYS * UNITS[0][1]) return this.time(iso);
    const [unit, size] = UNITS.find((each) => Math.abs(seconds) >= each[1]) ?? ['second', 1];
    return this.relative.format(Math.trunc(seconds / size), unit);
  }

  number(value: number): string {
    return this.numbers.format(value);
  }

  /** Returns a duration with one or two units, for example `1.2 s` or `3 min 20 s`. */
  duration(milliseconds: number): string {
    if (milliseconds < MILLISECONDS) return `${this.number(Math.round(milliseconds))} ms`;
    const seconds = milliseconds / MILLISECONDS;
    if (seconds < 60) return `${this.number(Math.round(seconds * 10) / 10)} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
    return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  }

  bytes(count: number): string {
    if (count < 1000) return `${count} B`;
    if (count < 1_000_000) return `${this.number(Math.round(count / 100) / 10)} kB`;
    return `${this.number(Math.round(count / 100_000) / 10)} MB`;
  }
}

export function useFormats(): Formats {
  const { language } = useLanguage();
  return useMemo(() => new Formats(language), [language]);
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
