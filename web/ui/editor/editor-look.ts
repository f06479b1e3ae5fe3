import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { revealHidden } from '../cut-text.ts';

/**
 * Matches characters that are not visible, or that change the order of text. CodeMirror itself shows the codes of other
 * such characters.
 */
const HIDDEN = /[\u202a-\u202e\u2060-\u206f\u{e0000}-\u{e007f}]/u;

const LOOK = EditorView.theme({
  '&': { backgroundColor: 'var(--ground-raised)', color: 'var(--text)', maxHeight: '70vh' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', fontSize: '13px', lineHeight: '1.5' },
  '.cm-gutters': {
    backgroundColor: 'var(--ground-sunken)',
    color: 'var(--text-soft)',
    border: 'none',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--ground-raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
  },
  '.json-about, .cm-completionInfo': {
    maxWidth: '420px',
    padding: '6px 8px',
    fontFamily: 'var(--font)',
    fontSize: '13px',
    whiteSpace: 'pre-wrap',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent-ground)',
    color: 'var(--text)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--ground-active)',
  },
});
const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent-text)' },
  { tag: tags.string, color: 'var(--good-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn-text)' },
  { tag: tags.keyword, color: 'var(--accent-text)' },
  { tag: tags.comment, color: 'var(--text-soft)' },
]);

/**
 * Returns the extensions that all editors of code have: colours, line numbers, undo, and visible codes of invisible
 * characters.
 */
export function editorLook(label: string): Extension {
  return [
    lineNumbers(),
    history(),
    highlightSpecialChars({ addSpecialChars: HIDDEN, render: showCode }),
    lintGutter(),
    syntaxHighlighting(COLOURS),
    LOOK,
    EditorView.lineWrapping,
    // Without a tabindex, a region that scrolls would not count as reachable by keyboard.
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    keymap.of([...defaultKeymap, ...historyKeymap]),
  ];
}

/** Draws an invisible character as its code. The text keeps the character. */
function showCode(character: number): HTMLElement {
  const code = document.createElement('span');
  code.className = 'cm-specialChar';
  code.textContent = revealHidden(String.fromCodePoint(character));
  return code;
}
