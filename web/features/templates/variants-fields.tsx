import { useState } from 'react';
import { useTexts } from '../../texts/language.tsx';
import { templatesTexts } from '../../texts/templates.texts.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import type { VariantDraft } from './template-draft.ts';
import styles from './templates.module.css';

interface VariantsFieldsProps {
  variants: readonly VariantDraft[];
  /** Returns the fault at a path, such as `variants.en.email.html`. */
  faultOf: (path: string) => string | undefined;
  onChange: (variants: readonly VariantDraft[]) => void;
}

/** Edits the texts of a template by their language. */
export function VariantsFields({ variants, faultOf, onChange }: VariantsFieldsProps) {
  const texts = useTexts(templatesTexts).variants;
  const [chosen, setChosen] = useState(variants[0]?.locale ?? '');
  const [added, setAdded] = useState('');
  const variant = variants.find(({ locale }) => locale === chosen) ?? variants[0];
  const add = (): void => {
    const locale = added.trim();
    if (locale === '') return;
    if (!variants.some((each) => each.locale === locale)) {
      onChange([
        ...variants,
        { locale, email: { subject: '', html: '', text: '' }, sms: undefined },
      ]);
    }
    setChosen(locale);
    setAdded('');
  };
  return (
    <div className={styles.form}>
      <div className={styles.row}>
        {variant && (
          <SelectField
            label={texts.locale}
            options={variants.map(({ locale }) => ({ value: locale, label: locale }))}
            value={variant.locale}
            onChange={setChosen}
          />
        )}
        <TextField
          label={texts.newLocale}
          isRequired={false}
          autoComplete="off"
          spellCheck={false}
          value={added}
          onChange={setAdded}
        />
        <Button onClick={add}>{texts.add}</Button>
        {variant && (
          <Button onClick={() => onChange(variants.filter((each) => each !== variant))}>
            {texts.remove(variant.locale)}
          </Button>
        )}
      </div>
      {variant && (
        <OneVariant
          key={variant.locale}
          variant={variant}
          faultOf={(part) => faultOf(`variants.${variant.locale}${part === '' ? '' : `.${part}`}`)}
          onChange={(next) => onChange(variants.map((each) => (each === variant ? next : each)))}
        />
      )}
    </div>
  );
}

interface OneVariantProps {
  variant: VariantDraft;
  faultOf: (part: string) => string | undefined;
  onChange: (variant: VariantDraft) => void;
}

function OneVariant({ variant, faultOf, onChange }: OneVariantProps) {
  const texts = useTexts(templatesTexts).variants;
  const { email, sms } = variant;
  const emailField = (part: 'html' | 'text', label: string, about: string) =>
    email && (
      <TextAreaField
        label={label}
        description={about}
        isRequired={false}
        isCode
        rows={part === 'html' ? 12 : 6}
        fault={faultOf(`email.${part}`)}
        value={email[part]}
        onChange={(value) => onChange({ ...variant, email: { ...email, [part]: value } })}
      />
    );
  return (
    <>
      <fieldset className={styles.part}>
        <CheckField
          label={texts.email}
          fault={faultOf('email') ?? faultOf('')}
          value={email !== undefined}
          onChange={(isOn) =>
            onChange({ ...variant, email: isOn ? { subject: '', html: '', text: '' } : undefined })
          }
        />
        {email && (
          <TextField
            label={texts.subject}
            autoComplete="off"
            fault={faultOf('email.subject')}
            value={email.subject}
            onChange={(subject) => onChange({ ...variant, email: { ...email, subject } })}
          />
        )}
        {emailField('html', texts.html, texts.htmlAbout)}
        {emailField('text', texts.text, texts.textAbout)}
      </fieldset>
      <fieldset className={styles.part}>
        <CheckField
          label={texts.sms}
          value={sms !== undefined}
          onChange={(isOn) => onChange({ ...variant, sms: isOn ? { text: '' } : undefined })}
        />
        {sms && (
          <TextAreaField
            label={texts.smsText}
            isCode
            rows={4}
            fault={faultOf('sms.text')}
            value={sms.text}
            onChange={(text) => onChange({ ...variant, sms: { text } })}
          />
        )}
      </fieldset>
    </>
  );
}
