import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { useEffect } from 'react';
import { foreignLine } from '../cut-text.ts';
import { editorLook } from './editor-look.ts';
import { javascriptTokens } from './javascript-tokens.ts';
import styles from './json-editor.module.css';
import { placeIn } from './place-in.ts';
import { useCodeMirror } from './use-code-mirror.ts';

export interface JavascriptEditorProps {
  /** The name of the editor for screen readers. */
  label: string;
  value: string;
  /** The message of the fault that the service found. The message ends with the line and the column. */
  fault: string | undefined;
  onChange: (value: string) => void;
}

const MOST_MESSAGE = 1000;

/** Edits JavaScript, and marks the place of a fault. */
export function JavascriptEditor(props: JavascriptEditorProps) {
  const { label, fault } = props;
  const { host, view } = useCodeMirror(props, () => [editorLook(label), javascriptTokens]);
  useEffect(() => {
    const current = view.current;
    if (!current) return;
    const found = fault === undefined ? [] : [diagnosticOf(current.state, fault)];
    current.dispatch(setDiagnostics(current.state, found));
  }, [fault, view]);
  return <div className={styles.editor} ref={host} />;
}

function diagnosticOf(state: EditorState, fault: string): Diagnostic {
  const message = foreignLine(fault, MOST_MESSAGE);
  return { ...placeIn(state.doc, fault), severity: 'error', message };
}
