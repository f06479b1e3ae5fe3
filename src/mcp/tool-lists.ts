import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ToolPolicies } from '../policies/tool-policies.js';
import type { OfferedToolList } from '../tools/registry/offered-tool.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import type { EraEncoder } from './encoders/era-encoder.js';

type Lists = Map<EraEncoder, Buffer>;

/** How many different sets of hidden tools are kept; each takes some 30 kB an era. */
const MOST_KEPT = 20;
/** Of how many organizations with tools of their own the lists are kept; each takes as much. */
const MOST_OWN_KEPT = 50;

/**
 * The answers to `tools/list`, as JSON text in UTF-8. Encoding all tools takes longer than all the rest of the call, so the lists
 * are kept: for organizations that hide nothing, and for the sets of hidden tools, and the organizations with tools of
 * their own, that were asked for last.
 */
@Injectable()
export class ToolLists {
  private readonly whole: Lists = new Map();
  /** By what is hidden. */
  private readonly parts = new LRUCache<string, Lists>({ max: MOST_KEPT });
  /** By organization, what it offers and what it hides. */
  private readonly own = new LRUCache<string, Lists>({ max: MOST_OWN_KEPT });

  constructor(private readonly tools: ToolRegistry) {}

  /** Registered tools first, then those of the organization; each by name. */
  of(encoder: EraEncoder, policies: ToolPolicies, own: OfferedToolList): Buffer {
    const lists = this.listsOf(policies, own);
    let list = lists.get(encoder);
    if (list === undefined) {
      const tools = [...this.tools.list('agent', policies), ...own.list(policies)];
      list = Buffer.from(encoder.toolList(tools));
      lists.set(encoder, list);
    }
    return list;
  }

  private listsOf({ hiddenKey }: ToolPolicies, own: OfferedToolList): Lists {
    if (own.key !== '') return kept(this.own, `${own.key} ${hiddenKey}`);
    return hiddenKey === '' ? this.whole : kept(this.parts, hiddenKey);
  }
}

function kept(all: LRUCache<string, Lists>, key: string): Lists {
  const known = all.get(key);
  if (known) return known;
  const lists: Lists = new Map();
  all.set(key, lists);
  return lists;
}
