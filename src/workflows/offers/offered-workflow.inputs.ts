import { IsString, Matches } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { Integer, JsonObject, Text } from '../../tools/schema/fields.js';
import { WorkflowIdInput } from '../store/workflow-id.inputs.js';

export class ListWorkflowToolsInput {}

export class OfferWorkflowInput extends WorkflowIdInput {
  @Doc(
    'Name of the tool, unique in the organization: a lowercase letter, then lowercase letters, digits and _.',
    { examples: ['place_order'] },
  )
  @IsString()
  @Matches(/^[a-z][a-z0-9_]{0,63}$/)
  name: string;

  @Text('Name shown to people.', { min: 1, max: 100 })
  title: string;

  @Doc(
    'Tells agents what the tool does, when to use it and what it returns. Every conversation begins with all ' +
      'descriptions, so be brief.',
  )
  @Text({ min: 20, max: 1000 })
  description: string;

  @Doc(
    'JSON Schema of the arguments, which the steps see as trigger.payload: an object of properties of type string, ' +
      'number, integer, boolean, array or object, with description, enum, required, format and limits.',
    {
      examples: [
        {
          type: 'object',
          properties: { email: { type: 'string', format: 'email' } },
          required: ['email'],
        },
      ],
    },
  )
  @JsonObject()
  input_schema: object;

  @Doc('Seconds for which a call waits for the end of the run before it returns the run_id.')
  @Integer({ min: 0, max: 25 })
  wait_seconds: number = 10;

  @Doc(
    'Result of a call when the run has succeeded: an object whose texts may contain expressions, such as ' +
      '{"order": "{{ ordered.number }}"}. Absent: the output of the last step.',
  )
  @JsonObject({ optional: true })
  result?: object;
}
