import { type CompletionContext, autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { json, jsonLanguage, jsonParseLinter } from '@codemirror/lang-json';
import { foldGutter } from '@codemirror/language';
import { type Diagnostic, linter, setDiagnostics } from '@codemirror/lint';
import { type EditorView, keymap } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { foreignLine } from '../cut-text.ts';
import { editorLook } from './editor-look.ts';
import styles from './json-editor.module.css';
import { type HintTexts, checkJson, completeJson, hoverJson } from './json-hints.ts';
import { rangeOf } from './json-range.ts';
import type { JsonHints } from './json-schema.ts';
import { useCodeMirror } from './use-code-mirror.ts';

export interface JsonEditorProps {
  /** The name of the editor for screen readers. */
  label: string;
  value: string;
  /** The faults that the service found, by paths such as `steps[0].tool`. */
  faults: readonly { path: string; message: string }[];
  /** The schema of the text, once it is loaded. */
  hints: JsonHints | undefined;
  texts: HintTexts;
  onChange: (value: string) => void;
}

const MOST_MESSAGE = 1000;

/** Edits JSON, with completion and hints from a schema. */
export function JsonEditor(props: JsonEditorProps) {
  // The editor is created once, and calls the functions of the last rendering.
  const latest = useRef(props);
  latest.current = props;
  const { host, view } = useCodeMirror(props, () => extensions(latest));
  const { faults } = props;
  useEffect(() => {
    const current = view.current;
    if (!current) return;
    const found = faults.map(({ path, message }): Diagnostic => ({
      ...rangeOf(current.state, path),
      severity: 'error',
      message: foreignLine(`${path} ${message}`, MOST_MESSAGE),
    }));
    current.dispatch(setDiagnostics(current.state, found));
  }, [faults, view]);
  return <div className={styles.editor} ref={host} />;
}

function extensions(latest: { current: JsonEditorProps }) {
  return [
    keymap.of(completionKeymap),
    editorLook(latest.current.label),
    foldGutter(),
    json(),
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
  ];
}

/** Finds faults of the syntax. If the syntax is valid, finds members that the schema does not allow. */
function checkSyntax(view: EditorView, { hints, texts }: JsonEditorProps): readonly Diagnostic[] {
  const faults = jsonParseLinter()(view);
  return faults.length > 0 || !hints ? faults : checkJson(view.state, hints, texts);
}
