import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { type Arguments, useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { propertiesTexts } from '../../texts/properties.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import styles from './contacts.module.css';
import { PROPERTY_TYPES, type Property, propertyResult } from './property.readers.ts';
import { UnfitValues } from './unfit-values.tsx';

interface PropertyDialogProps {
  /** The stored property. Undefined for a new one. */
  property: Property | undefined;
  onDone: () => void;
  onClose: () => void;
}

/** A form to edit a property. When values of contacts do not fit the new type, it lists these values. */
export function PropertyDialog({ property, onDone, onClose }: PropertyDialogProps) {
  const texts = useTexts(propertiesTexts);
  const { cancel } = useTexts(uiTexts);
  const call = useToolCall('set_property', propertyResult, ['list_properties']);
  const [name, setName] = useState(property?.name ?? '');
  const [type, setType] = useState(property?.type ?? 'text');
  const [typed, setTyped] = useState(property?.options.join('\n') ?? '');
  const [refused, setRefused] = useState<Arguments>();
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const faultOf = (field: string): string | undefined =>
    faults.find(({ path }) => path.split('[')[0] === field)?.message;
  const options = typed
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const given = { name: name.trim(), type, ...(type === 'enum' && { options }) };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (call.isPending) return;
    call.mutate(given, {
      onSuccess: onDone,
      onError: (error) => setRefused(error.code === 'conflict' ? given : undefined),
    });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={property ? texts.changeTitle(property.name) : texts.add}
      isWide
    >
      <form className={styles.settings} noValidate onSubmit={submit}>
        {!property && (
          <TextField
            label={texts.name}
            description={texts.nameAbout}
            autoComplete="off"
            spellCheck={false}
            fault={faultOf('name')}
            value={name}
            onChange={setName}
          />
        )}
        <SelectField
          label={texts.type}
          fault={faultOf('type')}
          options={PROPERTY_TYPES.map((value) => ({ value, label: texts.types[value] }))}
          value={type}
          onChange={setType}
        />
        {type === 'enum' && (
          <TextAreaField
            label={texts.options}
            description={texts.optionsAbout}
            rows={5}
            fault={faultOf('options')}
            value={typed}
            onChange={setTyped}
          />
        )}
        {call.error && <ErrorPanel error={call.error} shownPaths={['name', 'type', 'options']} />}
        <div className={styles.row}>
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" look="primary" isBusy={call.isPending}>
            {texts.save}
          </Button>
        </div>
      </form>
      {refused && <UnfitValues rule={refused} />}
    </Dialog>
  );
}
