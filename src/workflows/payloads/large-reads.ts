import { AppError } from '../../errors/app-error.js';
import { parseJsonExactly } from '../../http/request-body.js';
import { DistantRead, type JoinPages, type PageFilter } from '../../liquid/distant-values.js';
import { Evaluation } from '../../liquid/evaluation.js';
import { toTemplateError } from '../../liquid/liquid-errors.js';
import type { Job } from '../../turns/processor-turns.js';
import { MAX_VALUE_BYTES, VALUE_LIMITS } from '../../text/value-size.js';
import { distantValue, type PartsReader } from './distant-value.js';
import { SLICE_BYTES, sliceList } from './list-slice.js';
import { type LargeValue, unreadable } from './large-value.js';
import { MemberScan, type ScannedMember } from './member-scan.js';

/** The number of bytes that are scanned in one turn of the event loop. Such a turn takes some milliseconds. */
const CHUNK_BYTES = 256 * 1024;
/**
 * The size of the largest list or object that is parsed as a whole, in bytes. A larger list or object is read in parts.
 * A list or object of this size cannot have too many values.
 */
const MAX_INLINE_BYTES = 32 * 1024;
/**
 * The largest number of bytes that are read together: an item and the items after it. Expressions often read the
 * following items next. A larger item is read alone.
 */
const READ_AHEAD_BYTES = 32 * 1024;
const READ_AHEAD_ITEMS = 500;
/** The largest number of bytes in memory. It is twice the number of bytes that one expression may read. */
const MAX_KEPT_BYTES = 2 * MAX_VALUE_BYTES;
/**
 * The smallest number of bytes that is counted for a kept value. This also limits the number of kept values that have
 * no size, such as missing members.
 */
const MIN_KEPT_BYTES = 64;

/** Gives access to the bytes of a large payload. */
export interface PayloadSource {
  /** Returns the bytes from `start` up to but not including `end`. */
  read(start: number, end: number): Promise<Buffer>;
  /**
   * Runs work in turns, between which other requests are served. Throws `rate_limited` when the organization has used
   * up its processor time.
   */
  run(job: Job): Promise<void>;
}

interface Loaded {
  readonly value: unknown;
  readonly bytes: number;
}

/** Reads the large values of one payload in parts, and keeps at most 3 MiB of them in memory. */
export class LargeReads implements PartsReader {
  /** The source of the bytes. Without a source, large values cannot be read. */
  source: PayloadSource | undefined;
  private readonly kept = new Map<string, Loaded>();
  private keptBytes = 0;
  /**
   * The positions at which some items of a list begin, so that later items are found without scanning the whole list.
   */
  private readonly places = new Map<number, { index: number; at: number }[]>();

  /** Returns a large value as expressions see it: a list or an object that is read in parts, or a whole text. */
  valueOf(large: LargeValue, path: string): unknown {
    return large.kind === 'text' ? this.whole(large, path) : distantValue(this, large, path);
  }

  knownMember(object: LargeValue, name: string): unknown {
    return this.kept.get(memberKey(object, name))?.value;
  }

  whole(large: LargeValue, path: string): unknown {
    const { start, end } = large;
    if (end - start > MAX_VALUE_BYTES) throw AppError.invalid(unreadable(path, large));
    return this.get(`${start}`, path, large, async () => await this.load(start, end, path));
  }

  item(list: LargeValue, path: string, index: number): unknown {
    if (index >= list.items) return undefined;
    const key = itemKey(list, index);
    return this.get(key, path, list, async () => await this.loadItems(list, path, index));
  }

  member(object: LargeValue, path: string, name: string): unknown {
    const key = memberKey(object, name);
    return this.get(key, path, object, async () => {
      let found: ScannedMember | undefined;
      // When several members have the name, the last one is used, as in JSON.parse.
      await this.scan(object, (member) => {
        if (member.name === name) found = member;
        return false;
      });
      return found
        ? await this.loadMember(found, `${path}.${name}`)
        : { value: undefined, bytes: 0 };
    });
  }

  /** Returns the joined results of `apply` for each page of a list. */
  filtered(
    list: LargeValue,
    path: string,
    key: string,
    apply: PageFilter,
    join: JoinPages,
  ): unknown {
    const fullKey = `${list.start} | ${key}`;
    return this.get(
      fullKey,
      path,
      list,
      async () => await this.filterPages(list, path, apply, join),
    );
  }

  private get(key: string, path: string, large: LargeValue, load: () => Promise<Loaded>): unknown {
    const kept = this.kept.get(key);
    if (kept) return kept.value;
    const message = unreadable(path, large);
    if (!this.source) throw AppError.invalid(message);
    throw new DistantRead(message, async () => {
      const loaded = await load();
      this.keep(key, loaded);
      return loaded.bytes;
    });
  }

  private keep(key: string, { value, bytes }: Loaded): void {
    const before = this.kept.get(key);
    this.keptBytes += Math.max(bytes, MIN_KEPT_BYTES) - (before?.bytes ?? 0);
    this.kept.delete(key);
    this.kept.set(key, { value, bytes: Math.max(bytes, MIN_KEPT_BYTES) });
    for (const [oldest, { bytes: freed }] of this.kept) {
      if (this.keptBytes <= MAX_KEPT_BYTES || oldest === key) return;
      this.kept.delete(oldest);
      this.keptBytes -= freed;
    }
  }

  private async load(start: number, end: number, path: string): Promise<Loaded> {
    const bytes = await this.read(start, end);
    let value: unknown;
    await this.work(() => (value = parse(bytes, path)));
    return { value, bytes: bytes.length };
  }

  private async loadMember(member: ScannedMember, path: string): Promise<Loaded> {
    const { start, end } = member;
    const first = String.fromCharCode((await this.read(start, start + 1))[0]!);
    if (end - start <= MAX_INLINE_BYTES || (first !== '[' && first !== '{')) {
      if (end - start > MAX_VALUE_BYTES) {
        throw AppError.invalid(unreadable(path, { kind: 'text', start, end, items: 0 }));
      }
      return await this.load(start, end, path);
    }
    const kind = first === '[' ? 'list' : 'object';
    const large: LargeValue = { kind, start, end, items: 0 };
    let items = 0;
    await this.scan(large, () => {
      items += 1;
      return false;
    });
    return { value: this.valueOf({ ...large, items }, path), bytes: 0 };
  }

  /** Loads an item, and the items that follow it as long as they are small. */
  private async loadItems(list: LargeValue, path: string, index: number): Promise<Loaded> {
    const found: ScannedMember[] = [];
    await this.scan(
      list,
      (member) => {
        if (member.index >= index) found.push(member);
        const bytes = found.length > 0 ? member.end - found[0]!.start : 0;
        return bytes >= READ_AHEAD_BYTES || found.length >= READ_AHEAD_ITEMS;
      },
      index,
    );
    const [first, ...others] = found;
    if (!first) throw new Error('A list of a payload has fewer items than its outline says.');
    const loaded = await this.loadMember(first, `${path}[${index}]`);
    const next = others.filter(({ end }) => end - first.start <= READ_AHEAD_BYTES);
    const end = next.at(-1)?.end;
    if (end === undefined) return loaded;
    const bytes = await this.read(next[0]!.start, end);
    let items: unknown[] = [];
    await this.work(() => (items = parse(Buffer.from(`[${bytes.toString()}]`), path) as unknown[]));
    for (const [at, member] of next.entries()) {
      this.keep(itemKey(list, member.index), {
        value: items[at],
        bytes: member.end - member.start,
      });
    }
    return { ...loaded, bytes: loaded.bytes + bytes.length };
  }

  private async filterPages(
    list: LargeValue,
    path: string,
    apply: PageFilter,
    join: JoinPages,
  ): Promise<Loaded> {
    let value: unknown;
    let bytes = 0;
    for (let position = 0, isLast = false, isFirst = true; !isLast; isFirst = false) {
      const from = list.start + 1 + position;
      const slice = await this.read(from, Math.min(list.end, from + SLICE_BYTES));
      let items: unknown[] = [];
      await this.work(() => {
        const page = sliceList(slice);
        [items, isLast] = [page.items, page.isLast];
        position += page.next;
      });
      const result = await this.evaluate(() => apply(items));
      bytes += JSON.stringify(result)?.length ?? 0;
      value = isFirst ? result : join(value, result);
      const isTooMany = Array.isArray(value) && value.length > VALUE_LIMITS.members;
      if (bytes > MAX_VALUE_BYTES || isTooMany) throw AppError.invalid(resultTooLarge(path));
    }
    return { value, bytes };
  }

  private async evaluate(begin: () => unknown): Promise<unknown> {
    try {
      const evaluation = new Evaluation<unknown>(begin());
      await this.source!.run(evaluation);
      return evaluation.result;
    } catch (error) {
      throw toTemplateError(error);
    }
  }

  /**
   * Calls `found` for each member until `found` returns true. When the index of an item is given, begins near this
   * item.
   */
  private async scan(
    large: LargeValue,
    found: (member: ScannedMember) => boolean,
    index = 0,
  ): Promise<void> {
    const { kind, start, end } = large;
    const places = this.places.get(start) ?? [{ index: 0, at: start + 1 }];
    this.places.set(start, places);
    const from = places.findLast((place) => place.index <= index)!;
    let isEnough = false;
    const onMember = (member: ScannedMember): void => {
      if (member.start > places.at(-1)!.at + CHUNK_BYTES) {
        places.push({ index: member.index, at: member.start });
      }
      isEnough ||= found(member);
    };
    const scan = new MemberScan(kind === 'list' ? 'list' : 'object', from.at, onMember, from.index);
    for (let at = from.at; at < end && !isEnough && !scan.isDone; at += CHUNK_BYTES) {
      const bytes = await this.read(at, Math.min(end, at + CHUNK_BYTES));
      await this.work(() => scan.feed(bytes));
    }
  }

  private async read(start: number, end: number): Promise<Buffer> {
    const bytes = await this.source!.read(start, end);
    if (bytes.length < end - start) throw new Error('The file of a payload is not complete.');
    return bytes;
  }

  private async work(work: () => unknown): Promise<void> {
    const run = (): boolean => {
      work();
      return true;
    };
    await this.source!.run({ run });
  }
}

const itemKey = ({ start }: LargeValue, index: number): string => `${start}[${index}]`;
const memberKey = ({ start }: LargeValue, name: string): string => `${start}.${name}`;

function parse(bytes: Buffer, path: string): unknown {
  try {
    return parseJsonExactly(bytes, VALUE_LIMITS);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'too_complex') throw error;
    throw AppError.invalid(
      `${path} has more than ${VALUE_LIMITS.members} values, or is nested deeper than ${VALUE_LIMITS.depth} levels, ` +
        'which is too much for an expression. Loop over it with for_each, or read its members.',
    );
  }
}

function resultTooLarge(path: string): string {
  return (
    `A filter of ${path} has a result of more than ${MAX_VALUE_BYTES} bytes or ${VALUE_LIMITS.members} items. ` +
    'Loop over the list with for_each.'
  );
}
