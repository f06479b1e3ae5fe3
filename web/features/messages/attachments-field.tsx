import { useId } from 'react';
import { type UploadedFile, useFileUpload } from '../../api/files.ts';
import { useTexts } from '../../texts/language.tsx';
import { sendMessageTexts } from '../../texts/send-message.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Field } from '../../ui/field.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import styles from './messages.module.css';

interface AttachmentsFieldProps {
  files: readonly UploadedFile[];
  fault: string | undefined;
  onChange: (files: readonly UploadedFile[]) => void;
}

/** Uploads the files that an e-mail has as attachments. */
export function AttachmentsField({ files, fault, onChange }: AttachmentsFieldProps) {
  const texts = useTexts(sendMessageTexts);
  const upload = useFileUpload();
  const statusId = useId();
  const add = (file: File): void =>
    upload.mutate(file, { onSuccess: ({ file: uploaded }) => onChange([...files, uploaded]) });
  return (
    <div className={styles.filters}>
      <Field
        label={texts.attachment}
        description={texts.attachmentAbout}
        fault={fault}
        isRequired={false}
      >
        {(control) => (
          <input
            {...control}
            type="file"
            disabled={upload.isPending}
            onChange={({ target }) => {
              const file = target.files?.[0];
              if (file) add(file);
              // If the value of the file field were not cleared, a person could not choose this file again after a
              // failure.
              target.value = '';
            }}
          />
        )}
      </Field>
      <div role="status" id={statusId}>
        {upload.isPending && texts.uploading}
      </div>
      {upload.error && <ErrorPanel error={upload.error} />}
      {files.length > 0 && (
        <ul className={styles.files} aria-label={texts.attachments}>
          {files.map(({ id, name }) => (
            <li key={id}>
              <ForeignText text={name} />
              <Button size="small" onClick={() => onChange(files.filter((file) => file.id !== id))}>
                {texts.remove}
                <span className="hidden-visually"> {name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
