import { useRef, useState } from 'react';
import type { ToolDescriptor } from '../../api/tools.ts';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import {
  type Row,
  type Step,
  changeAt,
  freeId,
  insertStep,
  removeStep,
  allSteps,
  definitionRows,
  rowsOf,
  type StepRow,
  textOf,
} from './definition.ts';
import { earlierOutputs } from './earlier-outputs.ts';
import styles from './editor.module.css';
import { faultsAt } from './faults-at.ts';
import { JsonField } from './json-field.tsx';
import { Outline, TRIGGER } from './outline.tsx';
import { SearchDialog } from './search-dialog.tsx';
import { toNumber, withMember } from './kind-fields.ts';
import { NEW_STEPS } from './step-kind.ts';
import { STEP_TOOLS, StepPanel } from './step-panel.tsx';
import type { Editor } from './use-editor.ts';
import type { Moving } from './use-moving.ts';

/** The member of a trigger that sets the timeout of its runs. */
const RUN_TIMEOUT = 'run_timeout_seconds';

interface ViewProps {
  editor: Editor;
  moving: Moving;
  tools: readonly ToolDescriptor[];
  /** The path of the chosen step or of the trigger. */
  selected: string;
  onSelect: (path: string) => void;
}

/** Shows the tree of steps with the form of the chosen step. */
export function OutlineView({ editor, moving, tools, selected, onSelect: setSelected }: ViewProps) {
  const texts = useTexts(editorTexts);
  const [isAdding, setAdding] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  const { definition, faults, apply } = editor;
  const row = definitionRows(definition).find(({ path }) => path === selected);
  const faultOf = (path: string): string | undefined =>
    faults.find((each) => each.path === path)?.message;
  const remove = (from: StepRow): void => {
    apply(removeStep(definition, from));
    setSelected(from.index > 0 ? `${from.list}[${from.index - 1}]` : TRIGGER);
  };
  const insert = (step: Step, wanted: string): void => {
    const { list, index } = placeAfter(row);
    const steps = allSteps(definition);
    const id = freeId(steps, wanted);
    apply(insertStep(definition, list, index, { id, ...withFreeIds(steps, step) }));
    setSelected(`${list}[${index}]`);
  };
  const edit = (): void => {
    const field = panel.current?.querySelector('input, select, textarea');
    if (field instanceof HTMLElement) field.focus();
  };
  return (
    <div className={styles.columns}>
      <div className={styles.side}>
        <Outline
          definition={definition}
          selected={selected}
          faultsAt={(path) => faultsAt(faults, path)}
          onSelect={setSelected}
          onEdit={edit}
          onMove={moving.moveBy}
          onRemove={remove}
          onAdd={() => setAdding(true)}
        />
        <Button size="small" onClick={() => setAdding(true)}>
          {row?.kind === 'step' ? texts.addAfter : row ? texts.addInside : texts.add}
        </Button>
      </div>
      {row?.kind === 'step' && (
        <StepPanel
          key={row.path}
          focus={panel}
          row={row}
          tools={tools}
          outputs={earlierOutputs(
            definition,
            row.path,
            new Map(tools.map(({ name, outputSchema }) => [name, outputSchema])),
          )}
          faultOf={(member) => faultOf(`${row.path}.${member}`)}
          onChange={(step, label) =>
            apply(
              changeAt(definition, row.path, () => step),
              `${row.path}.${label}`,
            )
          }
          actions={{
            up: () => void moving.moveBy(row.path, -1, false),
            down: () => void moving.moveBy(row.path, 1, false),
            remove: () => remove(row),
            duplicate: () => insert(row.step, textOf(row.step.id)),
          }}
        />
      )}
      {!row && (
        <div className={styles.panel} ref={panel} role="group" aria-label={texts.trigger}>
          <TextField
            label={texts.name}
            fault={faultOf('name')}
            value={definition.name}
            onChange={(name) => apply({ ...definition, name }, 'name')}
          />
          <TextField
            label={texts.runTimeout}
            description={texts.runTimeoutAbout}
            inputMode="numeric"
            fault={faultOf(`${TRIGGER}.${RUN_TIMEOUT}`)}
            value={textOf(definition.trigger[RUN_TIMEOUT])}
            onChange={(text) => {
              const trigger = withMember(definition.trigger, RUN_TIMEOUT, toNumber(text));
              apply({ ...definition, trigger }, RUN_TIMEOUT);
            }}
          />
          <JsonField
            label={texts.triggerJson}
            fault={faults.find(({ path }) => path.startsWith(TRIGGER))?.message}
            value={definition.trigger}
            onChange={(trigger) => apply({ ...definition, trigger }, TRIGGER)}
          />
        </div>
      )}
      {isAdding && (
        <AddDialog
          tools={tools}
          onClose={() => setAdding(false)}
          onChoose={(step, wanted) => {
            setAdding(false);
            insert(step, wanted);
          }}
        />
      )}
    </div>
  );
}

interface AddProps {
  tools: readonly ToolDescriptor[];
  onChoose: (step: Step, wanted: string) => void;
  onClose: () => void;
}

function AddDialog({ tools, onChoose, onClose }: AddProps) {
  const texts = useTexts(editorTexts);
  const kinds = Object.entries(NEW_STEPS);
  const names: Readonly<Record<string, string>> = texts.kinds;
  const known = new Map(tools.map(({ name, title }) => [name, title]));
  for (const name of STEP_TOOLS) if (!known.has(name)) known.set(name, '');
  const choose = (name: string): void => {
    const kind = kinds.find(([each]) => `kind ${each}` === name);
    if (kind) onChoose(kind[1], kind[0]);
    else onChoose({ tool: name, arguments: {} }, name);
  };
  return (
    <SearchDialog
      title={texts.add}
      search={texts.addSearch}
      none={texts.addNone}
      choices={[
        ...kinds.map(([name]) => ({ name: `kind ${name}`, label: names[name] ?? name })),
        ...[...known].map(([name, about]) => ({ name, label: name, about })),
      ]}
      onChoose={choose}
      onClose={onClose}
    />
  );
}

/**
 * Returns the place of a new step: after the chosen step, or at the end of the chosen list. Without a choice, returns
 * the first place of the workflow.
 */
function placeAfter(row: Row | undefined): { list: string; index: number } {
  if (!row) return { list: 'steps', index: 0 };
  if (row.kind === 'list') return { list: row.path, index: row.length };
  return { list: row.list, index: row.index + 1 };
}

/**
 * Sets the ids of all steps inside a new step, so that no other step has the same id. The caller sets the id of the new
 * step itself.
 */
function withFreeIds(steps: readonly Step[], step: Step): Step {
  let copy: { steps: readonly Step[] } = { steps: [step] };
  for (const inner of rowsOf([step])) {
    if (inner.kind !== 'step' || inner.path === 'steps[0]') continue;
    const taken = [...steps, ...copy.steps];
    const id = freeId(taken, textOf(inner.step.id));
    copy = changeAt(copy, `${inner.path}.id`, () => id);
  }
  const [own = {}] = copy.steps;
  return Object.fromEntries(Object.entries(own).filter(([name]) => name !== 'id'));
}
