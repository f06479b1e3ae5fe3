import { useTexts } from '../../texts/language.tsx';
import { templatesTexts } from '../../texts/templates.texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { VARIABLE_TYPES, type VariableDraft } from './template-draft.ts';
import styles from './templates.module.css';

interface VariableFieldsProps {
  variables: readonly VariableDraft[];
  /** Returns the fault at a path, such as `variables[0].name`. */
  faultOf: (path: string) => string | undefined;
  onChange: (variables: readonly VariableDraft[]) => void;
}

/** Edits the variables that a template declares. */
export function VariableFields({ variables, faultOf, onChange }: VariableFieldsProps) {
  const texts = useTexts(templatesTexts).variables;
  const change = (at: number, changes: Partial<VariableDraft>): void =>
    onChange(variables.map((each, index) => (index === at ? { ...each, ...changes } : each)));
  return (
    <div className={styles.form}>
      {variables.map((variable, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a name changes while a person types it
        <div key={index} className={styles.variable} role="group" aria-label={texts.one(index + 1)}>
          <TextField
            label={texts.name}
            autoComplete="off"
            spellCheck={false}
            fault={faultOf(`variables[${index}].name`)}
            value={variable.name}
            onChange={(name) => change(index, { name })}
          />
          <SelectField
            label={texts.type}
            fault={faultOf(`variables[${index}].type`)}
            options={VARIABLE_TYPES.map((value) => ({ value, label: texts.types[value] }))}
            value={variable.type}
            onChange={(type) => change(index, { type })}
          />
          <TextField
            label={texts.default}
            isRequired={false}
            autoComplete="off"
            fault={faultOf(`variables[${index}].default`)}
            value={variable.default}
            onChange={(value) => change(index, { default: value })}
          />
          <Button
            size="small"
            onClick={() => onChange(variables.filter((_, other) => other !== index))}
          >
            {texts.remove}
            <span className="hidden-visually"> {variable.name}</span>
          </Button>
        </div>
      ))}
      <div className={styles.row}>
        <Button
          onClick={() =>
            onChange([...variables, { name: '', type: 'text', description: '', default: '' }])
          }
        >
          {texts.add}
        </Button>
      </div>
    </div>
  );
}
