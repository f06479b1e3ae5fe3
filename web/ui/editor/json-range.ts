import { ensureSyntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { SyntaxNode } from '@lezer/common';

const PARSING_MS = 200;

/** Returns the position of the value at a path such as `steps[0].tool`, or of the nearest value around it. */
export function rangeOf(state: EditorState, path: string): { from: number; to: number } {
  const tree = ensureSyntaxTree(state, state.doc.length, PARSING_MS);
  let node = tree?.topNode.firstChild ?? undefined;
  for (const key of path.match(/[^.[\]]+/g) ?? []) {
    const inner: SyntaxNode | undefined = node && childOf(state, node, key);
    if (!inner) break;
    node = inner;
  }
  return node ? { from: node.from, to: node.to } : { from: 0, to: 0 };
}

function childOf(state: EditorState, node: SyntaxNode, key: string): SyntaxNode | undefined {
  if (node.name === 'Array') {
    const values = childrenOf(node).filter(({ name }) => !['[', ']', ',', '⚠'].includes(name));
    return values[Number(key)];
  }
  if (node.name !== 'Object') return undefined;
  const property = node.getChildren('Property').find((each) => {
    const name = each.getChild('PropertyName');
    return name && state.sliceDoc(name.from, name.to) === JSON.stringify(key);
  });
  return property?.lastChild ?? undefined;
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
