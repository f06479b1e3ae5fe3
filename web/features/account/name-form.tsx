import { type FormEvent, useState } from 'react';
import { useChangeName } from '../../api/session.ts';
import { accountTexts } from '../../texts/account.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import styles from './account.module.css';

/** Changes the name of the signed-in person. An empty name removes the stored one. */
export function NameForm({ name }: { name: string }) {
  const { page: texts } = useTexts(accountTexts);
  const [value, setValue] = useState(name);
  const change = useChangeName();
  const toast = useToast();
  const { error } = change;
  const fault = error?.faults.find(({ path }) => path === 'name')?.message;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!change.isPending) change.mutate(value, { onSuccess: () => toast(texts.nameChanged) });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label={texts.name}
        autoComplete="name"
        isRequired={false}
        maxLength={200}
        value={value}
        onChange={setValue}
        description={texts.nameAbout}
        fault={fault}
      />
      {error && fault === undefined && <ErrorPanel error={error} />}
      <div>
        <Button type="submit" isBusy={change.isPending}>
          {texts.changeName}
        </Button>
      </div>
    </form>
  );
}
