import { Injectable } from '@nestjs/common';
import { IsBoolean, IsNumber, IsOptional, IsString, Length } from 'class-validator';
import { randomUUID } from 'node:crypto';
import { AppError } from '../../../src/errors/app-error.js';
import {
  type InputRequests,
  MissingCapability,
  askForm,
} from '../../../src/tools/contract/input-request.js';
import type { Task, TaskSource, TaskState } from '../../../src/tools/contract/task-source.js';
import type { ToolCall } from '../../../src/tools/contract/tool-call.js';
import { Tool, ToolContent } from '../../../src/tools/contract/tool.decorator.js';

class NoInput {}

class GreetInput {
  @IsString()
  @Length(1, 100)
  name: string;
}

class ComputeInput {
  @IsNumber()
  seconds: number;

  @IsOptional()
  @IsString()
  label?: string;
}

class DeleteInput {
  @IsString()
  @Length(1, 100)
  filename: string;
}

class Confirmation {
  @IsBoolean()
  confirm: boolean;
}

class Name {
  @IsString()
  @Length(1, 100)
  name: string;
}

/** Returns a task to a client with the Tasks extension, and the result of the job to other callers. */
class JobContent extends ToolContent {
  readonly jobId?: string;

  static ofJob(jobId: string): JobContent {
    return Object.assign(new JobContent([]), { jobId });
  }
}

interface Job {
  organizationId: string;
  createdAt: Date;
  changedAt: Date;
  open: InputRequests;
  canceled: boolean;
  /** The result of the job when all input requests have responses. */
  outcome: () => TaskState;
}

/** Keeps jobs in memory, which is enough for a test in one process. */
@Injectable()
export class JobTasks implements TaskSource {
  private readonly jobs = new Map<string, Job>();

  begin(organizationId: string, outcome: () => TaskState, open: InputRequests = {}): ToolContent {
    const id = `job_${randomUUID()}`;
    const now = new Date();
    this.jobs.set(id, {
      organizationId,
      createdAt: now,
      changedAt: now,
      open,
      canceled: false,
      outcome,
    });
    return JobContent.ofJob(id);
  }

  idOf(result: JobContent): string | undefined {
    return result.jobId;
  }

  async find(organizationId: string, id: string): Promise<Task | undefined> {
    const job = this.jobs.get(id);
    if (job?.organizationId !== organizationId) return undefined;
    const { createdAt, changedAt } = job;
    return { id, createdAt, changedAt, state: stateOf(job) };
  }

  async cancel(_organizationId: string, id: string): Promise<boolean> {
    const job = this.jobs.get(id)!;
    const { status } = stateOf(job);
    if (status !== 'working' && status !== 'asking') return false;
    job.canceled = true;
    return true;
  }

  async answer(
    _organizationId: string,
    id: string,
    responses: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const job = this.jobs.get(id)!;
    const open = Object.entries(job.open).filter(
      ([name, request]) => request.read(responses[name]) === undefined,
    );
    job.open = Object.fromEntries(open);
    job.changedAt = new Date();
  }
}

function stateOf({ open, canceled, outcome }: Job): TaskState {
  if (canceled) return { status: 'canceled' };
  return Object.keys(open).length > 0 ? { status: 'asking', requests: open } : outcome();
}

const succeeded = (text: string): TaskState => ({
  status: 'succeeded',
  result: ToolContent.text(text),
});

/** Provides tools that start tasks in every way. The official conformance suite uses these names. */
@Injectable()
export class TaskTools {
  constructor(private readonly jobs: JobTasks) {}

  @Tool({ name: 'greet', title: 'Greet', description: 'Says hello.', readOnly: true })
  async greet({ name }: GreetInput): Promise<ToolContent> {
    return ToolContent.text(`Hello, ${name}!`);
  }

  @Tool({ name: 'slow_compute', title: 'Compute', description: 'Takes its time.', task: JobTasks })
  async compute({ seconds }: ComputeInput, call: ToolCall): Promise<ToolContent> {
    if (!call.takesTasks) return ToolContent.text('Computed at once.');
    const end = Date.now() + seconds * 1000;
    return this.jobs.begin(call.organizationId, () =>
      Date.now() >= end ? succeeded('Computed.') : { status: 'working' },
    );
  }

  @Tool({ name: 'failing_job', title: 'Fail', description: 'Fails, later.', task: JobTasks })
  async fail(_input: NoInput, call: ToolCall): Promise<ToolContent> {
    if (!call.takesTasks) {
      throw new MissingCapability({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
    }
    return this.jobs.begin(call.organizationId, () => ({
      status: 'failed',
      error: new AppError('conflict', 'There is one already.'),
    }));
  }

  @Tool({ name: 'protocol_error_job', title: 'Break', description: 'Is lost.', task: JobTasks })
  async lose(_input: NoInput, call: ToolCall): Promise<ToolContent> {
    return this.jobs.begin(call.organizationId, () => ({ status: 'lost' }));
  }

  @Tool({ name: 'confirm_delete', title: 'Delete', description: 'Asks first.', task: JobTasks })
  async confirm({ filename }: DeleteInput, call: ToolCall): Promise<ToolContent> {
    return this.jobs.begin(call.organizationId, () => succeeded(`Deleted ${filename}.`), {
      'confirm-1': askForm(`Delete ${filename}?`, Confirmation),
    });
  }

  @Tool({ name: 'multi_input', title: 'Ask twice', description: 'Asks twice.', task: JobTasks })
  async askTwice(_input: NoInput, call: ToolCall): Promise<ToolContent> {
    return this.jobs.begin(call.organizationId, () => succeeded('Thank you.'), {
      'name-1': askForm('Who are you?', Name),
      'confirm-1': askForm('Are you sure?', Confirmation),
    });
  }

  @Tool({
    name: 'test_tool_with_task',
    title: 'Ask, then begin',
    description: 'Asks, then begins.',
    task: JobTasks,
  })
  async askFirst(_input: NoInput, call: ToolCall): Promise<ToolContent> {
    const { user_name: user } = await call.ask({ user_name: askForm('Who are you?', Name) });
    return this.jobs.begin(call.organizationId, () => succeeded(`Hello, ${user.name}!`));
  }
}
