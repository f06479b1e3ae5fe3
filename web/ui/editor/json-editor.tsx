import { type CompletionContext, autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonLanguage, jsonParseLinter } from '@codemirror/lang-json';
import { HighlightStyle, foldGutter, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, linter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { foreignLine, revealHidden } from '../cut-text.ts';
import styles from './json-editor.module.css';
import { type HintTexts, checkJson, completeJson, hoverJson } from './json-hints.ts';
import { rangeOf } from './json-range.ts';
import type { JsonHints } from './json-schema.ts';

export interface JsonEditorProps {
  /** Names the editor for screen readers. */
  label: string;
  value: string;
  /** Has the faults that the service found, by paths such as `steps[0].tool`. */
  faults: readonly { path: string; message: string }[];
  /** Has the schema of the text, once it is loaded. */
  hints: JsonHints | undefined;
  texts: HintTexts;
  onChange: (value: string) => void;
}

/** Limits the texts that are kept until the page has rendered them. */
const MOST_TYPED = 100;
const MOST_MESSAGE = 1000;
/** Matches characters that are not visible, or that change the order of text, beside those that CodeMirror knows. */
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
]);

/**
 * Edits JSON. It is in a shadow root, where CodeMirror may add its styles without `<style>` elements. Tab moves the
 * focus on, as in every other field.
 */
export function JsonEditor(props: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  // The editor is created once, and calls the functions of the last rendering.
  const latest = useRef(props);
  latest.current = props;
  const typed = useRef<string[]>([]);
  useEffect(() => {
    const place = host.current;
    if (!place) return undefined;
    const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: extensions(latest, typed),
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  const { value, faults } = props;
  useLayoutEffect(() => {
    const current = view.current;
    // A rendering may be late: then its value is one that was typed before, and must not replace what was typed since.
    const own = typed.current.indexOf(value);
    typed.current = typed.current.slice(own + 1);
    if (!current || own >= 0 || current.state.doc.toString() === value) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    const current = view.current;
    if (!current) return;
    const found = faults.map(({ path, message }): Diagnostic => ({
      ...rangeOf(current.state, path),
      severity: 'error',
      message: foreignLine(`${path} ${message}`, MOST_MESSAGE),
    }));
    current.dispatch(setDiagnostics(current.state, found));
  }, [faults]);
  return <div className={styles.editor} ref={host} />;
}

/** `typed` gets the texts that were passed to `onChange` and have not come back as `value`. */
function extensions(latest: { current: JsonEditorProps }, typed: { current: string[] }) {
  return [
    lineNumbers(),
    foldGutter(),
    history(),
    highlightSpecialChars({ addSpecialChars: HIDDEN, render: showCode }),
    json(),
    lintGutter(),
    // Without a fault from the service, the editor looks for syntax errors.
    linter((view) =>
      latest.current.faults.length > 0
        ? latest.current.faults.map(({ path, message }) => ({
            ...rangeOf(view.state, path),
            severity: 'error' as const,
            message: foreignLine(`${path} ${message}`, MOST_MESSAGE),
          }))
        : checkSyntax(view, latest.current),
    ),
    autocompletion(),
    jsonLanguage.data.of({
      autocomplete: (at: CompletionContext) => {
        const { hints } = latest.current;
        return hints ? completeJson(at, hints) : null;
      },
    }),
    hoverJson(() => latest.current.hints),
    syntaxHighlighting(COLOURS),
    LOOK,
    EditorView.lineWrapping,
    // Without a tabindex, a region that scrolls would not count as reachable by keyboard.
    EditorView.contentAttributes.of({ 'aria-label': latest.current.label, tabindex: '0' }),
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      const text = update.state.doc.toString();
      typed.current = [...typed.current, text].slice(-MOST_TYPED);
      latest.current.onChange(text);
    }),
  ];
}

/** Draws an invisible character as its code. The text keeps the character. */
function showCode(character: number): HTMLElement {
  const code = document.createElement('span');
  code.className = 'cm-specialChar';
  code.textContent = revealHidden(String.fromCodePoint(character));
  return code;
}

/** Finds faults of the syntax, or else what the schema does not know. */
function checkSyntax(view: EditorView, { hints, texts }: JsonEditorProps): readonly Diagnostic[] {
  const faults = jsonParseLinter()(view);
  return faults.length > 0 || !hints ? faults : checkJson(view.state, hints, texts);
}
