import { LRUCache } from 'lru-cache';
import type { ParsedTexts, PreparedTexts, PreparedVersion } from './prepared-version.js';
import type { CompiledContent } from './template-content.js';

const MOST_PARSED_BYTES = 48 * 1024 * 1024;
const MOST_CONTENT_BYTES = 16 * 1024 * 1024;
const BYTES_PER_CHARACTER = 2;
/**
 * The largest number of bytes that one character of JSON takes in memory after parsing, for example in a list of empty
 * lists.
 */
const BYTES_PER_JSON_CHARACTER = 40;

/**
 * Keeps the versions and the parsed texts that were used last. The texts have their own limit. Otherwise a few versions
 * with many locales would fill the memory of the process when all of their texts are parsed.
 */
export class VersionCache {
  private readonly versions = new LRUCache<string, PreparedVersion>({
    maxSize: MOST_CONTENT_BYTES,
  });
  private readonly texts = new LRUCache<string, PreparedTexts>({
    maxSize: MOST_PARSED_BYTES,
    sizeCalculation: ({ subject, html, text }) =>
      (subject?.bytes ?? 0) + (html?.bytes ?? 0) + text.bytes + 1,
  });

  get(key: string): PreparedVersion | undefined {
    return this.versions.get(key);
  }

  set(key: string, version: PreparedVersion, { variables, variants }: CompiledContent): void {
    const size =
      JSON.stringify(variables).length * BYTES_PER_JSON_CHARACTER +
      JSON.stringify(variants).length * BYTES_PER_CHARACTER;
    this.versions.set(key, version, { size });
  }

  /** Returns the parsed texts of a version. */
  textsOf(key: string): ParsedTexts {
    return {
      get: (name) => this.texts.get(`${key} ${name}`),
      set: (name, texts) => void this.texts.set(`${key} ${name}`, texts),
    };
  }
}
