import {
  type Template,
  TypeGuards,
  Value,
  type Variable,
  analyzeSync,
  toValueSync,
} from 'liquidjs';

/** The variables of a template or condition. */
export interface TemplateReading {
  /** The paths of the variables that no tag assigns, such as `contact.id`. A path ends before a computed index. */
  readonly references: string[];
  /**
   * The paths of all variables, including variables that a tag assigns. When the tag does not run, the variable has the
   * value of the scope. The path of a variable whose name is computed is empty.
   */
  readonly reads: string[];
  /** The names that the tags `assign`, `capture`, `increment` and `decrement` assign. */
  readonly assigned: string[];
}

/** Finds the variables of a parsed template. */
export function readingOf(templates: Template[]): TemplateReading {
  const { globals, locals } = analyzeSync(templates, { partials: false });
  const reads = new Set<string>();
  addReadsOfTemplates(templates, reads);
  return {
    references: [...new Set(Object.values(globals).flat().map(referenceOf))],
    reads: [...reads],
    assigned: Object.keys(locals),
  };
}

/** Finds the variables of a condition. */
export function readingOfCondition(condition: Value): TemplateReading {
  const template = {
    *arguments() {
      yield condition;
    },
  };
  return readingOf([template as unknown as Template]);
}

function referenceOf(variable: Variable): string {
  return knownPath(variable.segments);
}

function knownPath(segments: readonly unknown[]): string {
  const end = segments.findIndex((one) => typeof one !== 'string' && typeof one !== 'number');
  return segments.slice(0, end < 0 ? undefined : end).join('.');
}

// The analysis of LiquidJS reads `[name].email` as `name.email`, so it is not used here. Ranges have no variables,
// because their bounds are numbers (see `limitRanges`). All levels of the recursion add their paths to one set. If each
// level were a generator, each path would pass through all generators above it.
function addReadsOfTemplates(templates: readonly Template[], reads: Set<string>): void {
  for (const template of templates) {
    for (const argument of template.arguments?.() ?? []) addReads(argument, reads);
    if (!template.children) continue;
    addReadsOfTemplates(toValueSync(template.children(false, true)), reads);
  }
}

/**
 * Adds the paths that a value contains. The value is a token, a pair of a name and a token, or an expression with
 * filters.
 */
function addReads(value: unknown, reads: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) addReads(item, reads);
  } else if (value instanceof Value || TypeGuards.isFilteredValueToken(value)) {
    addReads(value.initial.postfix, reads);
    for (const { args } of value.filters) addReads(args, reads);
  } else if (TypeGuards.isPropertyAccessToken(value)) {
    const { variable, props } = value;
    addReads(variable, reads);
    addReads(props, reads);
    if (!variable) reads.add(knownPath(props.map(nameOf)));
  }
}

/** Returns the name that a part of a path has, or undefined when the name is computed. */
function nameOf(token: unknown): string | number | undefined {
  if (TypeGuards.isWordToken(token) || TypeGuards.isQuotedToken(token)) return token.content;
  return TypeGuards.isNumberToken(token) ? token.content : undefined;
}
