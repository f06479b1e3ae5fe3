import {
  Background,
  Controls,
  type Node,
  type NodeProps,
  ReactFlow,
  type ReactFlowInstance,
  ViewportPortal,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import styles from './canvas.module.css';
import { type Line, Lines } from './lines.tsx';
import { type Drag, type DropPlace, nearestPlace } from './nearest-place.ts';

/** A box of the picture. The `data-id` of its element is the id of the box. */
export interface Card {
  id: string;
  title: string;
  about: string;
  hasFault: boolean;
  /** False for the box of an empty list, which cannot be moved. */
  isMovable: boolean;
  /** A change of this number to a value other than 0 moves the focus to the box. */
  focusCount: number;
  x: number;
  y: number;
}

export interface CanvasTexts {
  label: string;
  /** The description of the keys for screen readers. */
  help: string;
  controls: string;
  zoomIn: string;
  zoomOut: string;
  fit: string;
}

type CardNode = Node<Omit<Card, 'id' | 'x' | 'y'>, 'card'>;

export interface CanvasProps {
  texts: CanvasTexts;
  cards: readonly Card[];
  lines: readonly Line[];
  places: readonly DropPlace[];
  size: { width: number; height: number };
  onOpen: (id: string) => void;
  onDrop: (id: string, placeId: string) => void;
  /** Moves a card by keyboard. With `isInside`, the card moves into a list of its neighbour. */
  onMove: (id: string, by: -1 | 1, isInside: boolean) => void;
  /** Returns why a card cannot be dropped at a place, or undefined. */
  refusalOf: (id: string, placeId: string) => string | undefined;
}

const TYPES = { card: memo(CardBox) };
/**
 * The largest height of the picture that is visible at first, so that a person can read the boxes. A button shows the
 * complete picture.
 */
const FIRST_HEIGHT = 1100;

/**
 * Draws boxes with lines. Tab goes from box to box, Enter opens a box, and Alt with an arrow key moves it. Boxes can be
 * dragged to the places between other boxes. This file imports no code of the editor, so that it can be loaded
 * separately.
 */
export function Canvas(props: CanvasProps) {
  const { texts, cards, lines, places, size, onOpen, onDrop, refusalOf } = props;
  const [drag, setDrag] = useState<Drag>();
  // The mouse button can be released before React draws the last move, so this ref has the last move.
  const lastDrag = useRef<Drag>(undefined);
  const show = (next: Drag | undefined): void => {
    lastDrag.current = next;
    setDrag(next);
  };
  // True after Escape has ended a drag while the button of the mouse is still down.
  const isCanceled = useRef(false);
  const flow = useRef<ReactFlowInstance<CardNode>>(null);
  const nodes = useMemo(() => cards.map((card) => nodeOf(card, size)), [cards, size]);
  const corners = useMemo(() => new Map(cards.map(({ id, x, y }) => [id, { x, y }])), [cards]);
  const first = useMemo(() => nodes.filter(({ position }) => position.y < FIRST_HEIGHT), [nodes]);
  const shown = drag
    ? nodes.map((node) => (node.id === drag.id ? { ...node, position: drag.position } : node))
    : nodes;
  const follow = (event: MouseEvent | TouchEvent, { id, position }: CardNode): void => {
    const at = flow.current?.screenToFlowPosition(pointOf(event));
    if (!at || isCanceled.current) return;
    const place = nearestPlace(places, at);
    const refusal = place && refusalOf(id, place.id);
    show({ id, position, ...(place && { place }), ...(refusal !== undefined && { refusal }) });
  };
  const drop = (): void => {
    const { current } = lastDrag;
    show(undefined);
    if (current?.place && !isCanceled.current) onDrop(current.id, current.place.id);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && drag) {
      isCanceled.current = true;
      show(undefined);
    }
    if (!(event.target instanceof HTMLElement)) return;
    const { id } = event.target.dataset;
    if (id === undefined) return;
    if (event.key === 'Enter') onOpen(id);
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    props.onMove(id, event.key === 'ArrowUp' ? -1 : 1, event.shiftKey);
  };
  return (
    <div className={styles.canvas} onKeyDown={press}>
      <ReactFlow
        nodes={shown}
        nodeTypes={TYPES}
        nodesConnectable={false}
        nodeDragThreshold={4}
        deleteKeyCode={null}
        selectionKeyCode={null}
        onInit={(instance) => {
          flow.current = instance;
        }}
        onNodeClick={(_event, node) => onOpen(node.id)}
        onNodeDragStart={() => {
          isCanceled.current = false;
        }}
        onNodeDrag={follow}
        onNodeDragStop={drop}
        disableKeyboardA11y
        ariaLabelConfig={{
          'node.a11yDescription.keyboardDisabled': texts.help,
          'controls.ariaLabel': texts.controls,
          'controls.zoomIn.ariaLabel': texts.zoomIn,
          'controls.zoomOut.ariaLabel': texts.zoomOut,
          'controls.fitView.ariaLabel': texts.fit,
        }}
        fitView
        fitViewOptions={{ maxZoom: 1, nodes: first }}
        minZoom={0.05}
        aria-label={texts.label}
      >
        <Background />
        <Lines lines={lines} corners={corners} size={size} drag={drag} />
        <Controls showInteractive={false} />
        {drag?.place && <Mark place={drag.place} refusal={drag.refusal} width={size.width} />}
      </ReactFlow>
    </div>
  );
}

/** Shows where a dragged box would go, or why it cannot go there. */
function Mark({
  place: { x, y },
  refusal,
  width,
}: {
  place: DropPlace;
  refusal: string | undefined;
  width: number;
}) {
  return (
    <ViewportPortal>
      <div
        className={styles.mark}
        data-refused={refusal !== undefined}
        style={{ width, transform: `translate(${x - width / 2}px, ${y - 2}px)` }}
      >
        {refusal !== undefined && <span className={styles.refusal}>{refusal}</span>}
      </div>
    </ViewportPortal>
  );
}

/** The size is given and there are no handles, so React Flow draws without measuring first. */
function nodeOf({ id, x, y, ...data }: Card, size: { width: number; height: number }): CardNode {
  return {
    id,
    type: 'card',
    position: { x, y },
    ...size,
    measured: size,
    handles: [],
    data,
    draggable: data.isMovable,
    ariaLabel: `${data.title}: ${data.about}`,
  };
}

function pointOf(event: MouseEvent | TouchEvent): { x: number; y: number } {
  const point = 'touches' in event ? event.touches[0] : event;
  return { x: point?.clientX ?? 0, y: point?.clientY ?? 0 };
}

function CardBox({ data: { title, about, hasFault, isMovable, focusCount } }: NodeProps<CardNode>) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const node = focusCount > 0 ? box.current?.closest('[data-id]') : null;
    if (node instanceof HTMLElement) node.focus();
  }, [focusCount]);
  return (
    <div ref={box} className={styles.card} data-fault={hasFault} data-empty={!isMovable}>
      <strong>{title}</strong>
      <span>{about}</span>
    </div>
  );
}
