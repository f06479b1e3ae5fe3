import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { SyntaxNode } from '@lezer/common';
import {
  type GivenObject,
  type JsonHints,
  type Schema,
  alternativesOf,
  fittingSchemas,
  itemSchemas,
  memberSchemas,
} from './json-schema.ts';

const PARSING_MS = 100;

/** Returns the object or list around a position, even if the JSON text is incomplete. */
export function containerAt(state: EditorState, position: number): SyntaxNode | undefined {
  const tree = ensureSyntaxTree(state, position, PARSING_MS) ?? syntaxTree(state);
  let node: SyntaxNode | null = tree.resolveInner(position, -1);
  while (node && !((node.name === 'Object' || node.name === 'Array') && node.from < position)) {
    node = node.parent;
  }
  return node ?? undefined;
}

/** Returns the schemas that an object can have, by the members that it has. */
export function objectSchemas(
  state: EditorState,
  node: SyntaxNode,
  hints: JsonHints,
): readonly Schema[] {
  return fittingSchemas(schemasAt(state, node, hints), readObject(state, node));
}

/** Returns the schemas of a value by its place in the text. */
export function schemasAt(
  state: EditorState,
  node: SyntaxNode,
  hints: JsonHints,
): readonly Schema[] {
  const { parent } = node;
  if (parent?.name === 'Array') return itemSchemas(schemasAt(state, parent, hints), hints.schema);
  if (parent?.name !== 'Property') return alternativesOf(hints.schema, hints.schema);
  const object = parent.parent;
  const name = nameOf(state, parent);
  if (object?.name !== 'Object' || name === undefined) return [];
  const given = readObject(state, object);
  return memberSchemas(objectSchemas(state, object, hints), name, given, hints);
}

/** Reads the members of an object that may not be complete. */
export function readObject(state: EditorState, node: SyntaxNode): GivenObject {
  const names = new Set<string>();
  const texts = new Map<string, string>();
  for (const property of node.getChildren('Property')) {
    const name = nameOf(state, property);
    if (name === undefined) continue;
    names.add(name);
    const value = property.getChild('String');
    const text = value && readText(state, value);
    if (typeof text === 'string') texts.set(name, text);
  }
  return { names, texts };
}

export function nameOf(state: EditorState, property: SyntaxNode): string | undefined {
  const node = property.getChild('PropertyName');
  return node ? readText(state, node) : undefined;
}

export function readText(state: EditorState, { from, to }: SyntaxNode): string | undefined {
  try {
    const value: unknown = JSON.parse(state.sliceDoc(from, to));
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
