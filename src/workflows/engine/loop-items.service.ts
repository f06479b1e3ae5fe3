import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { canonicalJson } from '../../text/canonical-json.js';
import type { ForEachStep } from '../definitions/definition.js';
import { renderArguments } from '../definitions/scope.js';
import type { Place } from '../definitions/step-engine.js';
import {
  MAX_BATCH,
  MAX_ITEMS,
  MAX_PAGED_ITEMS,
  MAX_PAGES,
} from '../definitions/steps/for-each-step.js';
import type { PageProgress } from '../definitions/steps/loop-progress.js';
import type { ClaimedRun } from '../journal/claimed-run.js';
import type { RunTransaction } from '../journal/run-transaction.js';
import { LargePayloadsService } from '../payloads/large-payloads.service.js';
import { findLargeValue } from '../payloads/large-members.js';
import { type LargeValue, payloadPath } from '../payloads/large-value.js';
import { RunScopeService } from './run-scope.service.js';

const MAX_CURSOR_BYTES = 8192;

/** Evaluates the items of a loop. Throws `invalid_arguments` for values that are not a list or exceed a limit. */
@Injectable()
export class LoopItemsService {
  constructor(
    private readonly scope: RunScopeService,
    private readonly liquid: LiquidSandbox,
    private readonly payloads: LargePayloadsService,
  ) {}

  /** Returns true when the condition of the loop is met, or when it has none. */
  async isMet(tx: RunTransaction, place: Place<ForEachStep>): Promise<boolean> {
    if (place.step.if === undefined) return true;
    return (await this.scope.getScopeIfMet(tx, place)) !== undefined;
  }

  /**
   * Returns the items of a list, in batches if the step says so. Returns undefined if the condition of the step is not
   * met.
   */
  async getItems(tx: RunTransaction, place: Place<ForEachStep>): Promise<unknown[] | undefined> {
    const { step } = place;
    const rendered = await this.scope.renderIfMet(tx, place, { items: step.for_each });
    return rendered && toItems(step, rendered.items);
  }

  /** Returns true when the items are a list of the payload that is too large to be read as a whole. */
  isLargeList({ run }: RunTransaction, { step }: Place<ForEachStep>): boolean {
    return !step.pages && largeList(run, step) !== undefined;
  }

  /** Returns the next items of a large list of the payload, and the position of the loop after them. */
  async getLargePage(
    { run }: RunTransaction,
    { step }: Place<ForEachStep>,
    before: PageProgress,
    firstItem: number,
  ): Promise<{ items: unknown[]; pages: PageProgress }> {
    const { organizationId, id } = run.lease;
    const list = largeList(run, step)!;
    const batch = batchOf(step);
    const position = Number(before.cursor);
    const slice = await this.payloads.readList(organizationId, id, list, position, batch);
    const items = inBatches(slice.items, batch);
    if (firstItem + items.length > MAX_PAGED_ITEMS) {
      throw AppError.invalid(`A loop over a payload has at most ${MAX_PAGED_ITEMS} items.`);
    }
    const { next: cursor, isLast } = slice;
    return { items, pages: { read: before.read + 1, firstItem, cursor, isLast } };
  }

  /**
   * Returns the items of a page, and the position of the loop after this page. Call it when the steps that read the
   * page have ended.
   */
  async getPage(
    tx: RunTransaction,
    place: Place<ForEachStep>,
    before: PageProgress,
    firstItem: number,
  ): Promise<{ items: unknown[]; pages: PageProgress }> {
    const { step, iterations } = place;
    const index = before.read;
    const page = { loop: place, index, isPage: true as const };
    const inside = { ...place, iterations: [...iterations, page] };
    const scope = await this.scope.getScope(tx, inside);
    const given = { items: step.for_each, cursor: step.next };
    const { organizationId } = tx.run.lease;
    const rendered = await renderArguments(organizationId, given, scope, this.liquid);
    const { cursor = null } = rendered;
    const items = toItems(step, rendered.items);
    const isLast = cursor === null || cursor === false || cursor === '';
    const read = index + 1;
    if (!isLast) assertNext(cursor, before.cursor, read);
    if (firstItem + items.length > MAX_PAGED_ITEMS) {
      throw AppError.invalid(`The pages of a loop may have at most ${MAX_PAGED_ITEMS} items.`);
    }
    return { items, pages: { read, firstItem, cursor, isLast } };
  }
}

function largeList({ data }: ClaimedRun, step: ForEachStep): LargeValue | undefined {
  const path = data.isLarge ? payloadPath(step.for_each) : undefined;
  const value = path && findLargeValue(data.payload, path);
  return value?.kind === 'list' ? value : undefined;
}

function toItems(step: ForEachStep, items: unknown): unknown[] {
  if (!Array.isArray(items)) throw AppError.invalid('for_each needs a list.');
  if (items.length > MAX_ITEMS) {
    throw AppError.invalid(`for_each got ${items.length} items; the limit is ${MAX_ITEMS}.`);
  }
  return inBatches(items, batchOf(step));
}

/**
 * Returns the batch size. Throws for a size that only SQL of a tool can store. Without this check, a size of 0.00001
 * would fill the memory with empty batches.
 */
function batchOf({ batch }: ForEachStep): number | undefined {
  const isValid = Number.isInteger(batch) && batch! >= 1 && batch! <= MAX_BATCH;
  if (batch === undefined || isValid) return batch;
  throw AppError.invalid(`batch must be a whole number from 1 to ${MAX_BATCH}.`);
}

function inBatches(items: unknown[], batch: number | undefined): unknown[] {
  if (batch === undefined) return items;
  const count = Math.ceil(items.length / batch);
  return Array.from({ length: count }, (_, at) => items.slice(at * batch, (at + 1) * batch));
}

/**
 * Throws when the cursor is too long or did not change, or after the last allowed page. A loop must not request the
 * same page forever from a system that ignores the cursor.
 */
function assertNext(cursor: unknown, before: unknown, read: number): void {
  const json = canonicalJson(cursor);
  if (Buffer.byteLength(json) > MAX_CURSOR_BYTES) {
    throw AppError.invalid(`The cursor of a page must have at most ${MAX_CURSOR_BYTES} bytes.`);
  }
  if (json === canonicalJson(before)) {
    throw AppError.invalid('The expression "next" returned the cursor of this page again.');
  }
  if (read >= MAX_PAGES)
    throw AppError.invalid(`A loop reads at most ${MAX_PAGES} pages. Request larger pages.`);
}
