import { type ComponentProps, type ReactNode, useId, useMemo } from 'react';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import { classNames } from './class-names.ts';
import { foreignLine, hasHidden } from './cut-text.ts';
import styles from './field.module.css';
import { ForeignText } from './foreign-text.tsx';

/** The attributes that connect a control with its label, description and fault. */
export interface ControlProps {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
  required?: boolean;
}

/** The largest number of characters of a fault that are shown. Some faults repeat long values that were sent. */
const MOST_FAULT = 1000;

export interface FieldProps {
  label: ReactNode;
  description?: ReactNode;
  fault?: string | undefined;
  /** False for a field that is optional. */
  isRequired?: boolean;
}

/** Shows a label with its control, description and fault. Screen readers announce the fault when it appears. */
export function Field({
  label,
  description,
  fault,
  isRequired,
  children,
}: FieldProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const texts = useTexts(uiTexts);
  const described = [description && `${id}-about`, fault && `${id}-fault`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {isRequired === false && <span className={styles.optional}> {texts.optional}</span>}
      </label>
      {children({
        id,
        ...(described && { 'aria-describedby': described }),
        ...(fault && { 'aria-invalid': true }),
      })}
      {description && (
        <div className={styles.description} id={`${id}-about`}>
          {description}
        </div>
      )}
      <div className={styles.fault} id={`${id}-fault`} role="alert" hidden={!fault}>
        {fault && <ForeignText text={fault} most={MOST_FAULT} />}
      </div>
    </div>
  );
}

/** Adds the invisible characters of the text to the description, because a field cannot show them. */
function useDescription(description: ReactNode, value: string): ReactNode {
  const { hidden } = useTexts(uiTexts);
  const hasCodes = useMemo(() => hasHidden(value), [value]);
  if (!hasCodes) return description;
  return (
    <>
      {description}{' '}
      <span className={styles.hidden}>
        {hidden} <ForeignText text={value} />
      </span>
    </>
  );
}

type TextFieldProps = FieldProps & Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'id'>;

export function TextField({
  label,
  description,
  fault,
  isRequired,
  value,
  onChange,
  ...props
}: TextFieldProps & { value: string; onChange: (value: string) => void }) {
  // Listing the characters of a password beside its field would reveal it.
  const about = useDescription(description, props.type === 'password' ? '' : value);
  return (
    <Field label={label} description={about} fault={fault} isRequired={isRequired}>
      {(control) => (
        <input
          {...props}
          {...control}
          required={isRequired}
          className={styles.control}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

type TextAreaFieldProps = FieldProps &
  Omit<ComponentProps<'textarea'>, 'onChange' | 'value' | 'id'> & {
    value: string;
    onChange: (value: string) => void;
    isCode?: boolean;
  };

export function TextAreaField({
  label,
  description,
  fault,
  isRequired,
  isCode = false,
  value,
  onChange,
  ...props
}: TextAreaFieldProps) {
  const about = useDescription(description, value);
  return (
    <Field label={label} description={about} fault={fault} isRequired={isRequired}>
      {(control) => (
        <textarea
          {...props}
          {...control}
          spellCheck={!isCode}
          className={classNames(styles.control, styles.area, isCode && styles.code)}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface Option {
  value: string;
  label: string;
}

/** Lets a person choose one value. The native control works with every keyboard, phone and screen reader. */
export function SelectField({
  label,
  description,
  fault,
  isRequired,
  options,
  value,
  onChange,
}: FieldProps & { options: readonly Option[]; value: string; onChange: (value: string) => void }) {
  return (
    <Field label={label} description={description} fault={fault} isRequired={isRequired}>
      {(control) => (
        <select
          {...control}
          className={styles.control}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {foreignLine(option.label)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  description,
  fault,
  value,
  onChange,
}: FieldProps & { value: boolean; onChange: (value: boolean) => void }) {
  const id = useId();
  const described = [description && `${id}-about`, fault && `${id}-fault`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className={styles.check}>
      <input
        id={id}
        type="checkbox"
        checked={value}
        aria-describedby={described || undefined}
        aria-invalid={fault ? true : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {description && (
        <div className={styles.description} id={`${id}-about`}>
          {description}
        </div>
      )}
      <div className={styles.fault} id={`${id}-fault`} role="alert" hidden={!fault}>
        {fault && <ForeignText text={fault} most={MOST_FAULT} />}
      </div>
    </div>
  );
}
