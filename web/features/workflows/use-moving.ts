import { useMemo, useState } from 'react';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { type Definition, type StepRow, definitionRows, textOf } from './definition.ts';
import { type Place, moveStep, placeBeside, placeInside, refusalOf } from './move-step.ts';
import type { Editor } from './use-editor.ts';

export type Moving = ReturnType<typeof useMoving>;

/** Moves steps by mouse and by keyboard in every view. Announces each move, or why a step cannot move. */
export function useMoving({ definition, apply }: Editor, onMoved: (path: string) => void) {
  const texts = useTexts(editorTexts);
  const [notice, setNotice] = useState({ text: '', isRefusal: false, of: definition });
  const rows = useMemo(() => stepsOf(definition), [definition]);
  /** Returns the new path, or undefined when the step did not move. */
  const move = (path: string, to: Place): string | undefined => {
    const row = rows.get(path);
    if (!row) return undefined;
    const moved = moveStep(definition, row, to);
    if ('refusal' in moved) {
      setNotice({ text: texts.refusals[moved.refusal], isRefusal: true, of: definition });
      return undefined;
    }
    const { definition: next } = moved;
    if (next === definition) return undefined;
    apply(next);
    onMoved(moved.path);
    setNotice({ text: texts.moved(textOf(row.step.id)), isRefusal: false, of: next });
    return moved.path;
  };
  const moveBy = (path: string, by: -1 | 1, isInside: boolean): string | undefined => {
    const row = rows.get(path);
    const to = row && (isInside ? placeInside : placeBeside)(definition, row, by);
    return to && move(path, to);
  };
  const refusalAt = (path: string, to: Place): string | undefined => {
    const row = rows.get(path);
    const refusal = row && refusalOf(definition, row, to);
    return refusal && texts.refusals[refusal];
  };
  // The announcement describes one definition. It is not shown for another definition.
  const isCurrent = notice.of === definition;
  return {
    move,
    moveBy,
    refusalAt,
    notice: isCurrent ? notice.text : '',
    isRefused: isCurrent && notice.isRefusal,
  };
}

function stepsOf(definition: Definition): ReadonlyMap<string, StepRow> {
  const rows = definitionRows(definition).filter((row) => row.kind === 'step');
  return new Map(rows.map((row) => [row.path, row]));
}
