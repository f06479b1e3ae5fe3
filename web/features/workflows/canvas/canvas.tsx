import {
  Background,
  Controls,
  type Edge,
  type Node,
  type NodeProps,
  Handle,
  Position,
  ReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import type { KeyboardEvent } from 'react';
import styles from './canvas.module.css';

/** Describes a box of the picture. `data-id` of its element is its id. */
export interface Card {
  id: string;
  title: string;
  about: string;
  hasFault: boolean;
  x: number;
  y: number;
}

export interface Line {
  from: string;
  to: string;
  label?: string;
}

type CardNode = Node<Pick<Card, 'title' | 'about' | 'hasFault'>, 'card'>;

export interface CanvasProps {
  label: string;
  cards: readonly Card[];
  lines: readonly Line[];
  size: { width: number; height: number };
  onOpen: (id: string) => void;
}

const TYPES = { card: CardBox };

/**
 * Draws boxes with lines. Tab goes from box to box, Enter opens one. It imports nothing of the editor, so that it is a
 * part of its own.
 */
export function Canvas({ label, cards, lines, size, onOpen }: CanvasProps) {
  const nodes = cards.map(({ id, x, y, ...data }): CardNode => ({
    id,
    type: 'card',
    position: { x, y },
    ...size,
    data,
    ariaLabel: `${data.title}: ${data.about}`,
  }));
  const edges = lines.map(({ from, to, label: name }): Edge => ({
    id: `${from} ${to}`,
    source: from,
    target: to,
    focusable: false,
    ...(name !== undefined && { label: name }),
  }));
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLElement)) return;
    const { id } = event.target.dataset;
    if (id !== undefined) onOpen(id);
  };
  return (
    <div className={styles.canvas} onKeyDown={press}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        deleteKeyCode={null}
        onNodeClick={(_event, node) => onOpen(node.id)}
        fitView
        fitViewOptions={{ maxZoom: 1 }}
        minZoom={0.05}
        aria-label={label}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function CardBox({ data: { title, about, hasFault } }: NodeProps<CardNode>) {
  return (
    <div className={styles.card} data-fault={hasFault}>
      <Handle type="target" position={Position.Top} className={styles.handle} />
      <strong>{title}</strong>
      <span>{about}</span>
      <Handle type="source" position={Position.Bottom} className={styles.handle} />
    </div>
  );
}
