import { Liquid, type Operators, Token, Tokenizer, defaultOperators } from 'liquidjs';
import { boundFilters, checkPattern } from './bounded-filters.js';
import { DATA_FILTERS } from './data-filters.js';
import { distantContains, readDistantValues } from './distant-filters.js';
import { distantOf } from './distant-values.js';
import { escapeOutput } from './escape-output.js';
import {
  LIQUID_FILTERS,
  LIQUID_TAGS,
  LimitedEmitter,
  indexPositions,
  limitNesting,
  limitRanges,
} from './liquid-limits.js';
import { ORDERED_OPERATORS } from './ordered.js';
import { makeFiltersStrict } from './strict-filters.js';

/** The largest number of characters and array items that one rendering may create, as LiquidJS counts them. */
const MAX_MEMORY = 4_000_000;

const OPERATORS: Operators = {
  ...defaultOperators,
  ...ORDERED_OPERATORS,
  contains: function* (list, item, context) {
    if (typeof list === 'string') checkPattern('contains', item, list.length);
    const isIn = (items: unknown): unknown => defaultOperators.contains!(items, item, context);
    const distant = distantOf(list);
    return yield distant ? distantContains(distant, item, isIn) : isIn(list);
  },
};

// These calls change shared classes of LiquidJS. The changes affect only templates of users, because this process
// parses no other templates.
limitRanges(Tokenizer.prototype);
limitNesting(Tokenizer.prototype);
indexPositions(Token.prototype);

/**
 * The form in which values are written. `expression` and `text` write them as they are. `html` escapes them unless
 * `raw` is the last filter.
 */
export type LiquidFormat = 'expression' | 'text' | 'html';

/**
 * Creates an engine with the filters, tags and limits of the sandbox. The formats of messages, `text` and `html`, have
 * the filter `raw` too. So the text of a message can contain the same outputs as its HTML.
 */
export function createLiquid(format: LiquidFormat): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    dynamicPartials: false,
    // Without these two options, the output of dates would depend on the time zone and the language of the server.
    timezoneOffset: 0,
    locale: 'en-US',
    memoryLimit: MAX_MEMORY,
    operators: OPERATORS,
    // There are no stored templates and no files, so no tag can read another template. The list of allowed tags has no
    // tag that reads a template either.
    templates: {},
    ...(format === 'html' && { outputEscape: escapeOutput }),
  });
  const { raw } = engine.filters;
  Object.assign(engine.filters, DATA_FILTERS);
  keepOnly(engine.filters, LIQUID_FILTERS);
  keepOnly(engine.tags, LIQUID_TAGS);
  makeFiltersStrict(engine.filters);
  const unbounded = { ...engine.filters };
  boundFilters(engine.filters);
  readDistantValues(engine.filters, unbounded);
  if (format !== 'expression') engine.filters.raw = raw!;
  const { renderer } = engine;
  const render = renderer.renderTemplates.bind(renderer);
  // Without this default emitter, `capture` would create an emitter whose output has no limit.
  renderer.renderTemplates = (templates, context, emitter = new LimitedEmitter()) =>
    render(templates, context, emitter);
  return engine;
}

function keepOnly(all: Record<string, unknown>, names: ReadonlySet<string>): void {
  for (const name of Object.keys(all)) if (!names.has(name)) delete all[name];
}
