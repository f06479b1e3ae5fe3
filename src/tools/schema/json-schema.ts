/** The part of JSON Schema that inputs and outputs of tools use: keywords that draft-07 and 2020-12 share. */
export interface JsonSchema {
  type?: JsonType | JsonType[];
  title?: string;
  description?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
}

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/** A JSON Schema whose root is an object, as MCP demands of tools. */
export type ObjectSchema = JsonSchema & {
  type: 'object';
  properties: Record<string, JsonSchema>;
};
