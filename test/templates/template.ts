import type { TestOrganization } from '../support/organization.js';

export interface TestTemplate {
  id: string;
  name: string;
  version: number | null;
  draft_version: number;
  restored_from: number | null;
  variables: object[];
  variants: Record<string, { email?: Record<string, string>; sms?: { text: string } }>;
}

let counter = 0;

export function unique(prefix = 'template'): string {
  counter += 1;
  return `${prefix}_${counter}`;
}

/** Creates a template, and returns it. */
export async function createTemplate(
  organization: TestOrganization,
  given: object = {},
): Promise<TestTemplate> {
  const { value, error } = await organization.call<{ template: TestTemplate }>('create_template', {
    name: unique(),
    ...given,
  });
  if (error) throw new Error(error.message);
  return value.template;
}

/** Returns the answer of `publish_template`. */
export async function publish(organization: TestOrganization, templateId: string) {
  return await organization.call<{
    template: TestTemplate;
    warnings: { path: string; message: string }[];
  }>('publish_template', { template_id: templateId });
}

/** Creates a template with these texts, and publishes it. */
export async function published(organization: TestOrganization, given: object) {
  const { id } = await createTemplate(organization, given);
  const { value, error } = await publish(organization, id);
  if (error) throw new Error(`${error.message} ${JSON.stringify(error)}`);
  return value;
}
