import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { parseFilters, phonesIn } from './contact-filter.js';
import { ContactRulesService } from './contact-rules.service.js';
import type { FilterNode } from './filter-fields.js';
import { NamedSegmentsRepository } from './named-segments.repository.js';
import {
  type NamedSegment,
  countConditions,
  replaceSegments,
  segmentsIn,
} from './segment-nodes.js';

interface ExpandOptions {
  /** A segment with its new conditions. It is used in place of the stored segment. */
  changed?: NamedSegment;
  /**
   * The ids of segments that the conditions belong to. If the conditions name one of these segments, the segments form
   * a circle.
   */
  within?: readonly string[];
}

/** The largest nesting depth of segments, counted from a segment that a search names. */
const DEEPEST = 3;
/** The largest number of conditions of one statement, including the conditions of the segments that they name. */
const MOST_CONDITIONS = 200;

/**
 * Reads conditions that may name segments. A dynamic segment is replaced by its conditions, so a search is exact and
 * does not depend on the last comparison.
 */
@Injectable()
export class SegmentFiltersService {
  constructor(
    private readonly rules: ContactRulesService,
    private readonly segments: NamedSegmentsRepository,
  ) {}

  /** Returns the segments that have one of these ids or names. */
  findNamed(organizationId: string, idsOrNames: readonly string[]): Promise<NamedSegment[]> {
    return this.segments.find(organizationId, idsOrNames);
  }

  /**
   * Validates conditions and replaces dynamic segments by their conditions, and names of static segments by their ids.
   * Throws `invalid_arguments` with the path of each fault, such as unknown segments, circles and too many conditions.
   */
  async read(
    organizationId: string,
    given: readonly object[],
    options: ExpandOptions = {},
  ): Promise<FilterNode[]> {
    const nodes = await this.parse(organizationId, given);
    return await this.expand(organizationId, nodes, options.within ?? [], options);
  }

  /** Validates conditions. A condition that names a segment stays as it is, without the filters of the segment. */
  async parse(organizationId: string, given: readonly object[]): Promise<FilterNode[]> {
    const rules = await this.rules.rulesForPhones(organizationId, phonesIn(given));
    return parseFilters(given, rules);
  }

  private async expand(
    organizationId: string,
    nodes: FilterNode[],
    within: readonly string[],
    options: ExpandOptions,
  ): Promise<FilterNode[]> {
    const names = segmentsIn(nodes);
    if (names.length === 0) return nodes;
    const { changed } = options;
    const stored = await this.segments.find(organizationId, names);
    const found = stored.map((segment) => (segment.id === changed?.id ? changed : segment));
    const meanings = new Map<string, string | FilterNode[]>();
    for (const name of names) {
      const segment = found.find(({ id }) => id === name) ?? found.find((one) => one.name === name);
      if (!segment) {
        throw AppError.invalidField(
          'filters',
          'name a segment that does not exist: list segments with list_segments',
        );
      }
      if (within.includes(segment.id)) {
        throw AppError.invalidField(
          'filters',
          `must not name the segment "${segment.name}" in a circle`,
        );
      }
      if (segment.filters === null) meanings.set(name, segment.id);
      else if (within.length >= DEEPEST) {
        const message = `must not nest segments more than ${DEEPEST} levels deep`;
        throw AppError.invalidField('filters', message);
      } else {
        const inner = await this.parse(organizationId, segment.filters);
        const outer = [...within, segment.id];
        meanings.set(name, await this.expand(organizationId, inner, outer, options));
      }
    }
    const expanded = replaceSegments(nodes, meanings);
    if (countConditions(expanded) <= MOST_CONDITIONS) return expanded;
    const message = `must have at most ${MOST_CONDITIONS} conditions. The conditions of named segments count too`;
    throw AppError.invalidField('filters', message);
  }
}
