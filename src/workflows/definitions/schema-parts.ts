/** The keywords of JSON Schema that the schema of definitions uses. */
export interface DefinitionSchema {
  $ref?: string;
  $defs?: Record<string, DefinitionSchema>;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  anyOf?: DefinitionSchema[];
  items?: DefinitionSchema;
  properties?: Record<string, DefinitionSchema>;
  required?: readonly string[];
}

export const refer = (name: string, description: string): DefinitionSchema => ({
  $ref: `#/$defs/${name}`,
  description,
});
export const text = (description: string): DefinitionSchema => ({ type: 'string', description });
export const number = (description: string): DefinitionSchema => ({ type: 'number', description });
export const duration = (unit: string): DefinitionSchema => ({
  type: ['number', 'string'],
  description: `Length of the wait in ${unit}, or an expression that returns it.`,
});
export const flag = (description: string): DefinitionSchema => ({ type: 'boolean', description });
export const object = (description: string): DefinitionSchema => ({ type: 'object', description });
export const steps = (description: string): DefinitionSchema => ({
  type: 'array',
  description,
  items: { $ref: '#/$defs/step' },
});
