import { Position, ViewportPortal, getBezierPath } from '@xyflow/react';
import { memo, useMemo } from 'react';
import styles from './canvas.module.css';

export interface Line {
  from: string;
  to: string;
  label?: string;
}

export interface Corner {
  x: number;
  y: number;
}

interface LinesProps {
  lines: readonly Line[];
  /** The top left corner of each box. */
  corners: ReadonlyMap<string, Corner>;
  size: { width: number; height: number };
  /** The box that the person drags. Its lines move with it. */
  drag?: { id: string; position: Corner } | undefined;
}

/**
 * Draws all lines into one image under the boxes. With edges of React Flow, 600 lines took most of the time that the
 * picture needed to open. Each line needed an image and three subscriptions, and each label a measured box.
 */
export function Lines({ lines, corners, size, drag }: LinesProps) {
  const ends = useMemo(
    () => lines.filter(({ from, to }) => corners.has(from) && corners.has(to)),
    [lines, corners],
  );
  const cornerOf = (id: string): Corner =>
    (drag?.id === id ? drag.position : corners.get(id)) ?? { x: 0, y: 0 };
  return (
    <ViewportPortal>
      <svg className={styles.lines} width="1" height="1">
        {ends.map(({ from, to, label }) => {
          const [source, target] = [cornerOf(from), cornerOf(to)];
          return (
            <Curve
              key={`${from} ${to}`}
              sourceX={source.x + size.width / 2}
              sourceY={source.y + size.height}
              targetX={target.x + size.width / 2}
              targetY={target.y}
              label={label}
            />
          );
        })}
      </svg>
    </ViewportPortal>
  );
}

interface CurveProps {
  sourceX: number;
  sourceY: number;
  targetX: number;
  targetY: number;
  label: string | undefined;
}

/** Draws a line from the bottom of a box to the top of another one, with its label in the middle. */
const Curve = memo(function Curve({ label, ...ends }: CurveProps) {
  const [path, x, y] = getBezierPath({
    ...ends,
    sourcePosition: Position.Bottom,
    targetPosition: Position.Top,
  });
  return (
    <>
      <path className="react-flow__edge-path" d={path} />
      {label !== undefined && (
        <text className={styles.label} x={x} y={y} dy="0.32em">
          {label}
        </text>
      )}
    </>
  );
});
