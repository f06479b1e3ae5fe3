import { Injectable } from '@nestjs/common';
import { ToolPolicySettingsService } from '../../policies/tool-policy-settings.service.js';
import { Prompt, type PromptResult } from '../../prompts/prompt.decorator.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import type { ToolDescriptor } from '../../tools/registry/registered-tool.js';
import { ToolRegistry } from '../../tools/registry/tool-registry.js';
import { classSchema } from '../../tools/schema/class-schema.js';
import type { JsonSchema } from '../../tools/schema/json-schema.js';
import { BuildWorkflowInput, CreateWorkflowInput } from './workflow.inputs.js';

/**
 * The largest number of characters for the list of tools. With this limit, the prompt has about 8,000 tokens, even when
 * an installation has hundreds of tools.
 */
const MAX_TOOL_CHARACTERS = 30_000;
const MAX_DESCRIPTION_LENGTH = 160;

const EXAMPLE = {
  name: 'Welcome',
  trigger: { type: 'webhook', secret: true },
  steps: [
    {
      id: 'person',
      tool: 'create_contact',
      arguments: {
        email: '{{ trigger.payload.email }}',
        first_name: '{{ trigger.payload.first_name }}',
        on_conflict: 'update',
      },
    },
    { id: 'pause', wait: { days: 7 } },
    {
      id: 'is_pro',
      if: "trigger.payload.plan == 'pro'",
      then: [
        {
          id: 'ask',
          tool: 'send_message',
          arguments: {
            contact_id: '{{ person.contact.id }}',
            subject: 'How is it going, {{ person.contact.first_name }}?',
            body: 'Just answer this e-mail.',
          },
          on_error: 'continue',
        },
      ],
    },
  ],
};

@Injectable()
export class WorkflowPrompts {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly policies: ToolPolicySettingsService,
  ) {}

  @Prompt({
    name: 'build_workflow',
    title: 'Build a workflow',
    description:
      'Turns a description into a workflow: explains how definitions are written and which tools can be steps, saves ' +
      'it with create_workflow and tries it.',
    needs: ['create_workflow'],
  })
  async buildWorkflow(
    { description }: BuildWorkflowInput,
    { organizationId }: ToolCall,
  ): Promise<PromptResult> {
    const policies = await this.policies.get(organizationId);
    const text = task(description, this.registry.list('workflow', policies));
    return { messages: [{ role: 'user', content: { type: 'text', text } }] };
  }
}

function task(description: string, tools: readonly ToolDescriptor[]): string {
  // The text uses the descriptions of create_workflow, so that the prompt and the tool cannot contradict each other.
  const { trigger, steps, on_failure: onFailure } = classSchema(CreateWorkflowInput).properties;
  return [
    'Build a Switchboard workflow that does this, in my words:',
    description,
    '# How a workflow is written',
    `trigger: ${trigger!.description}`,
    `steps: ${steps!.description} A step can read the trigger, and the results of earlier steps that always ` +
      'run: not those inside a branch or a loop. until is an RFC 3339 time, or "09:00" or "2030-01-31T09:00" ' +
      'in the time zone of the contact. for_each takes an expression that returns a list; its steps read item and ' +
      'index, later steps read <step id>.results; concurrency limits the items at a time. parallel and stop ' +
      'accept if like tool steps. {id, set: {name: value}} stores values that later steps read as vars.name, also ' +
      'after a branch. output of a for_each is the value of each item in its results. {id, return: {name: value}} ' +
      'ends the run with its result.',
    `on_failure: ${onFailure!.description}`,
    'An example:',
    `\`\`\`json\n${JSON.stringify(EXAMPLE, undefined, 2)}\n\`\`\``,
    '# Tools that can be steps, with their arguments (? is optional)',
    toolLines(tools),
    '# How to continue',
    [
      '1. If my description does not say what starts it, who gets messages or what a message says, ask me ' +
        'first. If no tool can do a part of it, say so instead of leaving it out.',
      '2. Show me the steps in a few plain sentences, and the texts of all messages. Wait until I agree.',
      '3. Call create_workflow. If it returns invalid_arguments, its details name the path of every fault: ' +
        'correct all of them and call it again. Give me the webhook_url, and the secret, which is shown only ' +
        'once.',
      '4. Offer to try it: trigger_workflow with its workflow_id and a payload like the real one starts a run, and ' +
        'get_run shows what each step did. This run sends real messages, so use one of my addresses and ask first.',
    ].join('\n'),
  ].join('\n\n');
}

function toolLines(tools: readonly ToolDescriptor[]): string {
  const lines: string[] = [];
  let length = 0;
  for (const { name, description, inputSchema } of tools) {
    const { properties, required = [] } = inputSchema;
    const list = Object.entries(properties).map(
      ([field, schema]) => `${field}${required.includes(field) ? '' : '?'}: ${typeOf(schema)}`,
    );
    const line = `- ${name}(${list.join(', ')}): ${firstSentence(description)}`;
    length += line.length + 1;
    if (length > MAX_TOOL_CHARACTERS) {
      return [...lines, `- and ${tools.length - lines.length} more: see tools/list.`].join('\n');
    }
    lines.push(line);
  }
  return lines.join('\n');
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const type = [schema.type].flat().join(' | ');
  return schema.items ? `${typeOf(schema.items)}[]` : type;
}

function firstSentence(text: string): string {
  const sentence = /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text;
  return sentence.length > MAX_DESCRIPTION_LENGTH
    ? `${sentence.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed()}…`
    : sentence;
}
