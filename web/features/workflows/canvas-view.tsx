import { Suspense, lazy, useMemo, useState } from 'react';
import { canvasTexts } from '../../texts/canvas.texts.ts';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { foreignLine } from '../../ui/cut-text.ts';
import { Skeleton } from '../../ui/state.tsx';
import { NODE, layoutOf } from './canvas/layout.ts';
import { type Definition, ON_FAILURE, textOf } from './definition.ts';
import { listName } from './list-name.ts';
import type { Moving } from './use-moving.ts';
import { describeStep, kindOf } from './step-kind.ts';

const Canvas = lazy(async () => ({ default: (await import('./canvas/canvas.tsx')).Canvas }));

interface ViewProps {
  definition: Definition;
  moving: Moving;
  faultsAt: (path: string) => number;
  /** Opens the form of a step. */
  onOpen: (path: string) => void;
}

/** Shows the steps as a picture with a computed layout. In this picture, a person can drag steps to other places. */
export function CanvasView({ definition, moving, faultsAt, onOpen }: ViewProps) {
  const texts = useTexts(editorTexts);
  const own = useTexts(canvasTexts);
  // The card that a person moved by keyboard keeps the focus at its new path.
  const [focus, setFocus] = useState({ path: '', count: 0 });
  const { steps, on_failure: onFailure } = definition;
  const layout = useMemo(() => layoutOf(steps, onFailure), [steps, onFailure]);
  const cards = useMemo(
    () => [
      ...layout.nodes.map(({ path, step, x, y }) => ({
        id: path,
        x,
        y,
        title: foreignLine(textOf(step.id)),
        about: `${texts.kinds[kindOf(step)]} ${describeStep(step)}`,
        hasFault: faultsAt(path) > 0,
        isMovable: true,
        focusCount: path === focus.path ? focus.count : 0,
      })),
      ...layout.empty.map(({ path, x, y }) => ({
        id: path,
        x,
        y,
        title: path === ON_FAILURE ? texts.lists.on_failure : texts.empty,
        about: path === ON_FAILURE && onFailure?.length ? texts.onFailureAbout : texts.emptyAbout,
        hasFault: faultsAt(path) > 0,
        isMovable: false,
        focusCount: 0,
      })),
    ],
    [layout, texts, faultsAt, focus, onFailure],
  );
  const lines = useMemo(
    () =>
      layout.links.map(({ from, to, list }) => ({
        from,
        to,
        ...(list !== undefined && { label: listName(list, texts) }),
      })),
    [layout, texts],
  );
  const slots = useMemo(() => new Map(layout.slots.map((slot) => [slot.id, slot])), [layout]);
  return (
    <Suspense fallback={<Skeleton rows={8} />}>
      <Canvas
        texts={{ ...own, label: texts.tree }}
        size={NODE}
        cards={cards}
        lines={lines}
        places={layout.slots}
        onOpen={onOpen}
        onDrop={(path, id) => {
          const to = slots.get(id);
          if (to) moving.move(path, to);
        }}
        onMove={(path, by, isInside) => {
          const to = moving.moveBy(path, by, isInside);
          if (to !== undefined) setFocus(({ count }) => ({ path: to, count: count + 1 }));
        }}
        refusalOf={(path, id) => {
          const to = slots.get(id);
          return to && moving.refusalAt(path, to);
        }}
      />
    </Suspense>
  );
}
