import { Injectable } from '@nestjs/common';
import type { ToolPolicies } from '../policies/tool-policies.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import type { EraEncoder } from './encoders/era-encoder.js';

type Lists = Map<EraEncoder, string>;

/** How many different sets of hidden tools are kept; each takes some 30 kB an era. */
const MOST_KEPT = 20;

/**
 * The answers to `tools/list`, as JSON text. Encoding all tools takes longer than all the rest of the call, so the lists
 * are kept: for organizations that hide nothing, and for the sets of hidden tools that were asked for last.
 */
@Injectable()
export class ToolLists {
  private readonly whole: Lists = new Map();
  /** By what is hidden; the one that was asked for last is the last. */
  private readonly parts = new Map<string, Lists>();

  constructor(private readonly tools: ToolRegistry) {}

  of(encoder: EraEncoder, policies: ToolPolicies): string {
    const lists = policies.hiddenKey === '' ? this.whole : this.partsWithout(policies.hiddenKey);
    let list = lists.get(encoder);
    if (list === undefined) {
      list = encoder.toolList(this.tools.list('agent', policies));
      lists.set(encoder, list);
    }
    return list;
  }

  private partsWithout(hiddenKey: string): Lists {
    const lists: Lists = this.parts.get(hiddenKey) ?? new Map<EraEncoder, string>();
    this.parts.delete(hiddenKey);
    this.parts.set(hiddenKey, lists);
    if (this.parts.size > MOST_KEPT) {
      const [oldest] = this.parts.keys();
      this.parts.delete(oldest!);
    }
    return lists;
  }
}
