import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { type EditorView, hoverTooltip } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import {
  type JsonHints,
  type Offer,
  type Schema,
  aboutOf,
  isAllowedText,
  isKnownMember,
  memberOffers,
  memberSchemas,
  valueOffers,
} from './json-schema.ts';
import {
  containerAt,
  nameOf,
  objectSchemas,
  readObject,
  readText,
  schemasAt,
} from './json-tree.ts';

/** The texts of the faults that are found by the schema, in the language of the person. */
export interface HintTexts {
  unknownMember: (name: string) => string;
  notAllowed: (value: string) => string;
}

/** Offers members and values that fit the schema at the cursor, with their descriptions. */
export function completeJson(at: CompletionContext, hints: JsonHints): CompletionResult | null {
  const { state, pos } = at;
  const quote = openQuoteBefore(state, pos);
  if (quote === undefined && !at.explicit) return null;
  const from = quote ?? at.matchBefore(/[\w.]+$/)?.from ?? pos;
  const container = containerAt(state, from);
  if (!container) return null;
  const before = state.sliceDoc(0, from).trimEnd();
  // Members follow a brace or a comma. Values follow a colon.
  if (container.name === 'Object' && /[{,]$/.test(before)) {
    const offers = memberOffers(
      objectSchemas(state, container, hints),
      readObject(state, container),
      hints.schema,
    );
    return { from, options: offers.map(memberCompletion), filter: true, validFor: /^"?[\w.]*$/ };
  }
  const schemas = schemasOfNewValue(state, container, before, hints);
  const options = valueOffers(schemas, hints).map(valueCompletion);
  return options.length === 0 ? null : { from, options, validFor: /^"?[\w.]*$/ };
}

/**
 * Returns the place of the quote that begins the text around a position. A JSON text never continues on the next line.
 */
function openQuoteBefore(state: EditorState, position: number): number | undefined {
  const { from } = state.doc.lineAt(position);
  let open: number | undefined;
  for (const { 0: quote, index } of state.sliceDoc(from, position).matchAll(/\\.|"/g)) {
    if (quote === '"') open = open === undefined ? from + index : undefined;
  }
  return open;
}

function schemasOfNewValue(
  state: EditorState,
  container: SyntaxNode,
  before: string,
  hints: JsonHints,
): readonly Schema[] {
  if (container.name === 'Array') {
    return schemasAt(state, container, hints).flatMap((schema) => itemsOf(schema));
  }
  const name = /"([^"\n\\]*)"\s*:$/.exec(before)?.[1];
  if (name === undefined) return [];
  const given = readObject(state, container);
  // The value of this member may be incomplete, so it must not select an alternative.
  const others = { ...given, texts: new Map([...given.texts].filter(([each]) => each !== name)) };
  return memberSchemas(schemasAt(state, container, hints), name, others, hints);
}

function itemsOf({ items }: Schema): Schema[] {
  return typeof items === 'object' && items !== null && !Array.isArray(items) ? [{ ...items }] : [];
}

function memberCompletion({ label, about }: Offer): Completion {
  return {
    label: `"${label}"`,
    displayLabel: label,
    type: 'property',
    ...(about !== '' && { info: about }),
    apply: (view, _completion, from, to) => replace(view, `"${label}"`, from, to, true),
  };
}

function valueCompletion({ label, about, isText }: Offer): Completion {
  const text = isText ? JSON.stringify(label) : label;
  return {
    label: text,
    displayLabel: label,
    type: isText ? 'text' : 'keyword',
    ...(about !== '' && { info: about }),
    apply: (view, _completion, from, to) => replace(view, text, from, to, false),
  };
}

/** Replaces the typed text, and the quote that may follow it. A member also gets its colon. */
function replace(view: EditorView, text: string, from: number, to: number, isName: boolean): void {
  const end = view.state.sliceDoc(to, to + 1) === '"' ? to + 1 : to;
  const hasColon = /^\s*:/.test(view.state.sliceDoc(end, end + 20));
  const insert = isName && !hasColon ? `${text}: ` : text;
  view.dispatch({
    changes: { from, to: end, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.complete',
  });
}

/** Shows the description of a member or a tool while the mouse is over it. */
export function hoverJson(hintsOf: () => JsonHints | undefined) {
  return hoverTooltip(({ state }, position) => {
    const hints = hintsOf();
    const node = syntaxTree(state).resolveInner(position, 1);
    const about = hints && aboutNode(state, node, hints);
    if (!about) return null;
    return {
      pos: node.from,
      end: node.to,
      create: () => {
        const dom = document.createElement('div');
        dom.className = 'json-about';
        dom.textContent = about;
        return { dom };
      },
    };
  });
}

function aboutNode(state: EditorState, node: SyntaxNode, hints: JsonHints): string {
  const object = node.parent?.parent;
  if (node.name === 'PropertyName' && node.parent && object?.name === 'Object') {
    const name = nameOf(state, node.parent);
    if (name === undefined) return '';
    const given = readObject(state, object);
    return aboutOf(memberSchemas(objectSchemas(state, object, hints), name, given, hints));
  }
  const tool = node.name === 'String' ? hints.tools.get(readText(state, node) ?? '') : undefined;
  const isTool = tool && schemasAt(state, node, hints).some(({ format }) => format === 'tool-name');
  return isTool ? tool.about : '';
}

/** Finds members that the schema does not know, and texts that it does not allow. */
export function checkJson(state: EditorState, hints: JsonHints, texts: HintTexts): Diagnostic[] {
  const found: Diagnostic[] = [];
  syntaxTree(state).iterate({
    enter: ({ node }) => {
      const object = node.parent;
      if (node.name !== 'Property' || object?.name !== 'Object') return;
      const name = node.getChild('PropertyName');
      const value = node.lastChild;
      const member = nameOf(state, node);
      if (!name || !value || member === undefined) return;
      const warn = ({ from, to }: SyntaxNode, message: string): void => {
        found.push({ from, to, severity: 'warning', message });
      };
      if (!isKnownMember(objectSchemas(state, object, hints), member)) {
        warn(name, texts.unknownMember(member));
      } else if (value.name === 'String') {
        const text = readText(state, value);
        const schemas = schemasAt(state, object, hints);
        const given = readObject(state, object);
        const others = new Map([...given.texts].filter(([each]) => each !== member));
        const inner = memberSchemas(schemas, member, { ...given, texts: others }, hints);
        if (text !== undefined && !isAllowedText(inner, text, hints)) {
          warn(value, texts.notAllowed(text));
        }
      }
    },
  });
  return found;
}
