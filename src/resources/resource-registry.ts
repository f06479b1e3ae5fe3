import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import type { ToolPolicies } from '../policies/tool-policies.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { ReadPipeline } from '../tools/pipeline/read-pipeline.js';
import {
  assertName,
  assertUnique,
  type DecoratedMethod,
  DecoratedMethods,
  firstParameter,
} from '../tools/registry/decorated-methods.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import { type SchemaClass, classSchema } from '../tools/schema/class-schema.js';
import type { ObjectSchema } from '../tools/schema/json-schema.js';
import { parseArguments } from '../tools/schema/parse-arguments.js';
import {
  type RegisteredResource,
  Resource,
  type ResourceContents,
  type ResourceDescriptor,
  type ResourceOptions,
} from './resource.decorator.js';
import { UriTemplate } from './uri-template.js';

/**
 * Finds every `@Resource` method at boot. Two resources with the same URIs, or a template whose variables its method
 * does not have, stop the process. A resource that is also a tool is hidden if the organization hides the tool or wants
 * its calls confirmed. The reason is that nobody confirms the reading of a resource.
 */
@Injectable()
export class ResourceRegistry implements OnModuleInit {
  /**
   * The resources, sorted by URI in code-unit order. A brace sorts last, so an exact URI is found before a template.
   */
  private resources: readonly RegisteredResource[] = [];

  constructor(
    private readonly methods: DecoratedMethods,
    private readonly pipeline: ReadPipeline,
    private readonly tools: ToolRegistry,
  ) {}

  onModuleInit(): void {
    const tools = this.methods.find(Tool);
    const found = this.methods.find(Resource).map((method) => {
      // Instances are compared and not class names, because two classes can have the same name.
      const same = tools.find(
        ({ instance, name }) => instance === method.instance && name === method.name,
      );
      const names = same ? [same.options.name, ...(same.options.aliases ?? [])] : [];
      return { resource: this.register(method, names), place: method.place };
    });
    assertUnique('resource', found, ({ resource }) => [resource.descriptor.name]);
    assertUnique('resource', found, ({ resource }) => [resource.template.shape]);
    this.resources = found
      .map(({ resource }) => resource)
      .sort((a, b) => (a.template.text < b.template.text ? -1 : 1));
  }

  /** Returns the resources without variables. */
  list(policies: ToolPolicies): (ResourceDescriptor & { uri: string })[] {
    return this.allowed(policies)
      .filter(({ template }) => template.variables.length === 0)
      .map(({ template, descriptor }) => ({ uri: template.text, ...descriptor }));
  }

  /** Returns the resources with variables, which are templates. */
  templates(policies: ToolPolicies): (ResourceDescriptor & { uriTemplate: string })[] {
    return this.allowed(policies)
      .filter(({ template }) => template.variables.length > 0)
      .map(({ template, descriptor }) => ({ uriTemplate: template.text, ...descriptor }));
  }

  /**
   * Returns the variables of a template, an empty list for a resource that is not a template, and undefined for an
   * unknown URI.
   */
  variablesOf(uri: string, policies: ToolPolicies): readonly string[] | undefined {
    return this.allowed(policies).find(({ template }) => template.text === uri)?.template.variables;
  }

  /**
   * Returns true if a resource has the URI or a template matches it. A template can match the URI of a record that does
   * not exist.
   */
  has(uri: string, policies: ToolPolicies): boolean {
    return this.allowed(policies).some(({ template }) => template.match(uri) !== undefined);
  }

  /** Returns the content of a resource. Throws `not_found` if no resource has the URI. */
  async read(uri: string, policies: ToolPolicies, call: ToolCall): Promise<ResourceContents> {
    for (const { template, descriptor, read } of this.allowed(policies)) {
      const variables = template.match(uri);
      if (variables) return contentsOf(uri, descriptor.mimeType, await read(variables, call));
    }
    throw unknownResource();
  }

  private allowed(policies: ToolPolicies): RegisteredResource[] {
    return this.resources.filter(
      ({ toolNames, needs }) =>
        policies.permitsReading(toolNames) &&
        policies.confirmation(...toolNames) === 'never' &&
        (needs?.areAllowed(policies) ?? true),
    );
  }

  private register(
    method: DecoratedMethod<ResourceOptions>,
    toolNames: readonly string[],
  ): RegisteredResource {
    const { options, place } = method;
    const { uri, name, title, description, mimeType = 'application/json', icons } = options;
    assertName('a resource', name, place);
    const template = templateOf(uri, place);
    const input = firstParameter(method);
    const schema = classSchema(input);
    assertHasVariables(template, input, schema, place);
    return {
      template,
      toolNames,
      needs: options.needs && this.tools.require(options.needs, place),
      descriptor: { name, title, description, mimeType, ...(icons && { icons }) },
      read: this.pipeline.wrap(method, 'resource', (variables) => {
        try {
          return parseArguments(input, schema, variables);
        } catch (error) {
          // A variable with an invalid value matches no resource.
          throw error instanceof AppError ? unknownResource(error) : error;
        }
      }),
    };
  }
}

function templateOf(uri: string, place: string): UriTemplate {
  try {
    return new UriTemplate(uri);
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}.`, { cause: error });
  }
}

function assertHasVariables(
  { text, variables }: UriTemplate,
  input: SchemaClass,
  { properties, required = [] }: ObjectSchema,
  place: string,
): void {
  for (const name of variables) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field?.type !== 'string') {
      throw new Error(`${place}: {${name}} of "${text}" must be a text field of ${input.name}.`);
    }
  }
  const missing = required.find((name) => !variables.includes(name));
  if (missing === undefined) return;
  throw new Error(
    `${place}: ${input.name}.${missing} is required, and "${text}" has no such variable.`,
  );
}

function contentsOf(uri: string, mimeType: string, value: unknown): ResourceContents {
  if (typeof value === 'string') return { uri, mimeType, text: value };
  if (value instanceof Uint8Array) {
    return { uri, mimeType, blob: Buffer.from(value).toString('base64') };
  }
  // Compiled code can return a value that its type forbids, and JSON.stringify would return undefined for it.
  if (typeof value !== 'object' || value === null) {
    throw new Error('A resource must return an object, text or bytes.');
  }
  return { uri, mimeType, text: JSON.stringify(value) };
}

function unknownResource(cause?: unknown): AppError {
  return new AppError('not_found', 'Unknown resource.', { cause });
}
