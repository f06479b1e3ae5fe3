import { useState } from 'react';
import { type ContactImport, importResult } from '../../api/imports.ts';
import { useTool, useToolCall } from '../../api/tools.ts';
import { importsTexts } from '../../texts/imports.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { LongTable } from '../../ui/table.tsx';
import styles from './contacts.module.css';
import { IDENTIFIERS, IMPORT_FIELDS, propertyTargets } from './import-choices.ts';
import { propertyList } from './property.readers.ts';

const PROPERTY = 'properties.';

/** Lets a person map the columns of a file to fields, and check or start its import. */
export function ImportForm({ job }: { job: ContactImport }) {
  const texts = useTexts(importsTexts);
  const declared = useTool('list_properties', {}, propertyList).data?.properties ?? [];
  const start = useToolCall('start_import', importResult, ['get_import', 'list_imports']);
  const [mapping, setMapping] = useState<Readonly<Record<string, string>>>(
    job.mapping ?? job.suggested_mapping,
  );
  const [matchBy, setMatchBy] = useState('');
  const [onExisting, setOnExisting] = useState('update');
  const [startsWorkflows, setStartsWorkflows] = useState(false);
  const properties = propertyTargets(
    job,
    declared.map(({ name }) => name),
  );
  const targets = [
    { value: '', label: texts.ignored },
    ...IMPORT_FIELDS.map((value) => ({ value, label: texts.fields[value] })),
    ...properties.map((value) => ({ value, label: texts.property(value.slice(PROPERTY.length)) })),
  ];
  const mapped = Object.values(mapping);
  const run = (checkOnly: boolean): void =>
    start.mutate({
      import_id: job.id,
      mapping: Object.fromEntries(Object.entries(mapping).filter(([, target]) => target !== '')),
      on_existing: onExisting,
      check_only: checkOnly,
      start_workflows: startsWorkflows,
      ...(mapped.includes(matchBy) && { match_by: matchBy }),
    });
  return (
    <Section title={texts.mapping} about={texts.mappingAbout}>
      <LongTable
        size={50}
        label={texts.mapping}
        rows={job.columns.map((column, index) => ({ column, index }))}
        keyOf={({ column }) => column}
        columns={[
          { name: texts.column, cell: ({ column }) => column },
          {
            name: texts.field,
            cell: ({ column }) => (
              <SelectField
                label={<span className="hidden-visually">{texts.fieldOf(column)}</span>}
                value={mapping[column] ?? ''}
                options={targets}
                onChange={(target) => setMapping({ ...mapping, [column]: target })}
              />
            ),
          },
          {
            name: texts.example,
            cell: ({ index }) =>
              job.preview
                .map(({ cells }) => cells[index] ?? '')
                .filter((cell) => cell !== '')
                .join(' · '),
          },
        ]}
      />
      <div className={styles.settings}>
        <SelectField
          label={texts.matchBy}
          description={texts.matchByAbout}
          value={mapped.includes(matchBy) ? matchBy : ''}
          options={[
            { value: '', label: texts.first },
            ...IDENTIFIERS.filter((field) => mapped.includes(field)).map((value) => ({
              value,
              label: texts.fields[value],
            })),
          ]}
          onChange={setMatchBy}
        />
        <SelectField
          label={texts.onExisting}
          value={onExisting}
          options={[
            { value: 'update', label: texts.update },
            { value: 'skip', label: texts.skip },
          ]}
          onChange={setOnExisting}
        />
        <CheckField
          label={texts.startWorkflows}
          description={texts.startWorkflowsAbout}
          value={startsWorkflows}
          onChange={setStartsWorkflows}
        />
      </div>
      {start.error && <ErrorPanel error={start.error} />}
      <div className={styles.row}>
        <Button isBusy={start.isPending} onClick={() => run(true)}>
          {texts.check}
        </Button>
        <Button look="primary" isBusy={start.isPending} onClick={() => run(false)}>
          {texts.start}
        </Button>
      </div>
    </Section>
  );
}
