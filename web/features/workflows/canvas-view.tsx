import { Suspense, lazy, useMemo } from 'react';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { NODE, layoutOf } from './canvas/layout.ts';
import { type Step, textOf } from './definition.ts';
import { describeStep, kindOf } from './step-kind.ts';

const Canvas = lazy(async () => ({ default: (await import('./canvas/canvas.tsx')).Canvas }));

interface ViewProps {
  steps: readonly Step[];
  faultsAt: (path: string) => number;
  /** Opens the form of a step. */
  onOpen: (path: string) => void;
}

/** Shows the steps as a picture, laid out from their structure. */
export function CanvasView({ steps, faultsAt, onOpen }: ViewProps) {
  const texts = useTexts(editorTexts);
  const layout = useMemo(() => layoutOf(steps), [steps]);
  const names: Readonly<Record<string, string>> = texts.lists;
  return (
    <Suspense fallback={<Skeleton rows={8} />}>
      <Canvas
        label={texts.tree}
        size={NODE}
        cards={layout.nodes.map(({ path, step, x, y }) => ({
          id: path,
          x,
          y,
          title: textOf(step.id),
          about: `${texts.kinds[kindOf(step)]} ${describeStep(step)}`,
          hasFault: faultsAt(path) > 0,
        }))}
        lines={layout.links.map(({ from, to, list }) => ({
          from,
          to,
          ...(list !== undefined && { label: names[list] ?? list }),
        }))}
        onOpen={onOpen}
      />
    </Suspense>
  );
}
