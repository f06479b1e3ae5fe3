import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** The largest number of texts that are kept until the page has rendered them. */
const MOST_TYPED = 100;

interface EditedText {
  value: string;
  onChange: (value: string) => void;
}

/**
 * Creates an editor inside the element of `host`. It is in a shadow root, where CodeMirror may add its styles without
 * `<style>` elements. Tab moves the focus to the next field, as in every other field.
 */
export function useCodeMirror(
  props: EditedText,
  createExtensions: () => Extension,
): { host: RefObject<HTMLDivElement | null>; view: RefObject<EditorView | null> } {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  // The editor is created once, and calls the functions of the last rendering.
  const latest = useRef({ ...props, createExtensions });
  latest.current = { ...props, createExtensions };
  // Has the texts that were passed to `onChange` and have not come back as `value`.
  const typed = useRef<string[]>([]);
  useEffect(() => {
    const place = host.current;
    if (!place) return undefined;
    const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
    const listener = EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      const text = update.state.doc.toString();
      typed.current = [...typed.current, text].slice(-MOST_TYPED);
      latest.current.onChange(text);
    });
    const extensions = [latest.current.createExtensions(), listener];
    const state = EditorState.create({ doc: latest.current.value, extensions });
    const made = new EditorView({ root, parent: root, state });
    view.current = made;
    return () => made.destroy();
  }, []);
  const { value } = props;
  useLayoutEffect(() => {
    const current = view.current;
    // A late rendering has an older typed value, which must not replace newer typed text.
    const own = typed.current.indexOf(value);
    typed.current = typed.current.slice(own + 1);
    if (!current || own >= 0 || current.state.doc.toString() === value) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [value]);
  return { host, view };
}
