import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useTexts } from '../../texts/language.tsx';
import { editorTexts } from '../../texts/editor.texts.ts';
import { classNames } from '../../ui/class-names.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import styles from './editor.module.css';
import {
  type Definition,
  type Row,
  type StepRow,
  definitionRows,
  listsOf,
  textOf,
} from './definition.ts';
import { listName } from './list-name.ts';
import { describeStep, kindOf } from './step-kind.ts';

/** The path of the trigger in the tree. */
export const TRIGGER = 'trigger';

interface OutlineProps {
  definition: Definition;
  selected: string;
  /** Returns the number of faults at a path and at the paths inside it. */
  faultsAt: (path: string) => number;
  onSelect: (path: string) => void;
  /** Called when the person presses Enter, to edit the step. */
  onEdit: () => void;
  /**
   * Called for Alt with an arrow key. With Shift, the step moves into a list of its neighbour. Returns the new path.
   */
  onMove: (path: string, by: -1 | 1, isInside: boolean) => string | undefined;
  onRemove: (row: StepRow) => void;
  onAdd: () => void;
}

/** Shows the steps as a tree that a keyboard can control completely (ARIA tree pattern). */
export function Outline(props: OutlineProps) {
  const { definition, selected, onSelect } = props;
  const texts = useTexts(editorTexts);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const tree = useRef<HTMLDivElement>(null);
  const all = definitionRows(definition);
  const rows = all.filter(({ path }) => ![...closed].some((each) => isInside(path, each)));
  const paths = [TRIGGER, ...rows.map(({ path }) => path)];
  const current = paths.includes(selected) ? selected : TRIGGER;
  const go = (path: string | undefined): void => {
    if (path === undefined) return;
    onSelect(path);
    const item = tree.current?.querySelector(`[data-path="${CSS.escape(path)}"]`);
    if (item instanceof HTMLElement) item.focus();
  };
  // A moved step has a new element, which gets the focus.
  const hasMoved = useRef(false);
  useLayoutEffect(() => {
    if (hasMoved.current) go(current);
    hasMoved.current = false;
  });
  const toggle = (path: string, isClosed: boolean): void => {
    const next = new Set(closed);
    if (isClosed) next.add(path);
    else next.delete(path);
    setClosed(next);
  };
  const move: OutlineProps['onMove'] = (path, by, isInside) => {
    const to = props.onMove(path, by, isInside);
    hasMoved.current = to !== undefined;
    return to;
  };
  const press = (event: KeyboardEvent): void => {
    const row = rows.find(({ path }) => path === current);
    const at = paths.indexOf(current);
    const handled = pressKey(event, {
      row,
      hasInner: row !== undefined && hasInner(row),
      isClosed: closed.has(current),
      at,
      paths,
      go,
      toggle: (isClosed) => toggle(current, isClosed),
      props: { ...props, onMove: move },
    });
    if (handled) event.preventDefault();
  };
  return (
    <>
      <p className={styles.help} id="tree-help">
        {texts.treeHelp}
      </p>
      <div
        className={styles.tree}
        role="tree"
        aria-label={texts.tree}
        aria-describedby="tree-help"
        ref={tree}
        onKeyDown={press}
      >
        <Item
          path={TRIGGER}
          depth={1}
          isCurrent={current === TRIGGER}
          faults={props.faultsAt(TRIGGER) + props.faultsAt('name')}
          onSelect={onSelect}
        >
          <strong>{texts.trigger}</strong>{' '}
          <span>
            <ForeignText text={textOf(definition.trigger.type)} />
          </span>
        </Item>
        {rows.map((row) => (
          <Item
            key={row.path}
            path={row.path}
            depth={row.depth}
            isCurrent={current === row.path}
            isOpen={hasInner(row) ? !closed.has(row.path) : undefined}
            faults={row.kind === 'step' ? props.faultsAt(row.path) : 0}
            onSelect={onSelect}
            onToggle={() => toggle(row.path, !closed.has(row.path))}
          >
            <RowText row={row} />
          </Item>
        ))}
      </div>
    </>
  );
}

function RowText({ row }: { row: Row }) {
  const texts = useTexts(editorTexts);
  if (row.kind === 'list') {
    return (
      <em>
        {listName(row.name, texts)}
        {row.length === 0 && ` (${texts.empty})`}
      </em>
    );
  }
  const { step } = row;
  return (
    <>
      <strong>
        <ForeignText text={textOf(step.id)} />
      </strong>{' '}
      <span className={styles.kind}>{texts.kinds[kindOf(step)]}</span>{' '}
      <code>{describeStep(step)}</code>
    </>
  );
}

interface ItemProps {
  path: string;
  depth: number;
  isCurrent: boolean;
  isOpen?: boolean | undefined;
  faults: number;
  onSelect: (path: string) => void;
  onToggle?: () => void;
  children: ReactNode;
}

function Item({ path, depth, isCurrent, isOpen, faults, onSelect, onToggle, children }: ItemProps) {
  const texts = useTexts(editorTexts);
  return (
    <div
      role="treeitem"
      aria-level={depth}
      aria-selected={isCurrent}
      aria-expanded={isOpen}
      tabIndex={isCurrent ? 0 : -1}
      data-path={path}
      data-depth={Math.min(depth, 12)}
      className={classNames(styles.item, isCurrent && styles.current)}
      onClick={(event) => {
        onSelect(path);
        event.currentTarget.focus();
        if (event.detail === 2) onToggle?.();
      }}
    >
      {children}
      {faults > 0 && <span className={styles.faults}>{texts.faults(faults)}</span>}
    </div>
  );
}

interface Press {
  row: Row | undefined;
  hasInner: boolean;
  isClosed: boolean;
  at: number;
  paths: readonly string[];
  go: (path: string | undefined) => void;
  toggle: (isClosed: boolean) => void;
  props: OutlineProps;
}

/** Executes the command of a key in the tree. Returns false for a key without a command. */
function pressKey(event: KeyboardEvent, press: Press): boolean {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  const { row, at, paths, go, toggle, props } = press;
  if (ctrlKey || metaKey) return false;
  const by = key === 'ArrowUp' ? -1 : 1;
  switch (key) {
    case 'ArrowUp':
    case 'ArrowDown':
      if (!altKey) go(paths[at + by]);
      else if (row?.kind === 'step') void props.onMove(row.path, by, shiftKey);
      return true;
    case 'Home':
      go(paths[0]);
      return true;
    case 'End':
      go(paths.at(-1));
      return true;
    case 'ArrowRight':
      if (press.hasInner && press.isClosed) toggle(false);
      else if (press.hasInner) go(paths[at + 1]);
      return true;
    case 'ArrowLeft':
      if (press.hasInner && !press.isClosed) toggle(true);
      else go(parentOf(row?.path ?? '', paths));
      return true;
    case 'Enter':
      props.onEdit();
      return true;
    case 'Insert':
      props.onAdd();
      return true;
    case 'Delete':
      if (row?.kind === 'step') props.onRemove(row);
      return true;
    default:
      return false;
  }
}

function hasInner(row: Row): boolean {
  return row.kind === 'list' ? row.length > 0 : listsOf(row.step).length > 0;
}

function isInside(path: string, outer: string): boolean {
  return path !== outer && (path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`));
}

function parentOf(path: string, paths: readonly string[]): string | undefined {
  return paths.findLast((each) => isInside(path, each));
}
