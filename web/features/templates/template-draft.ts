import { readValue } from '../../forms/typed-values.js';
import type { Template, TemplateVariable, TemplateVariant } from './template.readers.ts';

export const VARIABLE_TYPES = ['text', 'number', 'boolean', 'date', 'list', 'object'] as const;

/** The state of a variable in the form. Its default is the text that the person typed. */
export interface VariableDraft {
  name: string;
  type: string;
  description: string;
  default: string;
}

export interface VariantDraft {
  locale: string;
  email: { subject: string; html: string; text: string } | undefined;
  sms: { text: string } | undefined;
}

export interface TemplateDraft {
  variables: readonly VariableDraft[];
  variants: readonly VariantDraft[];
}

/** Returns the content of the form for a stored draft. */
export function toDraft({ variables, variants }: Template): TemplateDraft {
  return {
    variables: variables.map((variable) => ({
      name: variable.name,
      type: variable.type,
      description: variable.description ?? '',
      default: showDefault(variable.default),
    })),
    variants: Object.entries(variants).map(([locale, { email, sms }]) => ({
      locale,
      email: email && { subject: email.subject, html: email.html ?? '', text: email.text ?? '' },
      sms,
    })),
  };
}

/** Returns the arguments of `update_template`. */
export function fromDraft({ variables, variants }: TemplateDraft): {
  variables: TemplateVariable[];
  variants: Record<string, TemplateVariant>;
} {
  return {
    variables: variables.map((variable) => ({
      name: variable.name.trim(),
      type: variable.type,
      description: variable.description.trim() || undefined,
      default: readValue(variable.type, variable.default),
    })),
    variants: Object.fromEntries(
      variants.map(({ locale, email, sms }) => [
        locale,
        {
          email: email && {
            subject: email.subject,
            html: email.html || undefined,
            text: email.text || undefined,
          },
          sms,
        },
      ]),
    ),
  };
}

function showDefault(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
