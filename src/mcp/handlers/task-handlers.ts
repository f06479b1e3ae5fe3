import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { SecurityLog } from '../../security/security-log.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { Tasks } from '../../tools/pipeline/tasks.js';
import { withJsonRpcErrors } from '../app-error-encoding.js';
import { ACKNOWLEDGED, taskResult } from '../encoders/task-encoding.js';
import { INVALID_PARAMS, JsonRpcError } from '../json-rpc-error.js';
import type { JsonObject } from '../json-rpc.js';
import { assertTakesTasks, refuseDryRun, taskCallerOf } from '../request-meta.js';
import type { MethodContext } from './method-handler.js';

/** Handles `tasks/get`, `tasks/update` and `tasks/cancel` for clients that declare the Tasks extension. */
@Injectable()
export class TaskHandlers {
  constructor(
    private readonly tasks: Tasks,
    private readonly security: SecurityLog,
  ) {}

  async get(params: JsonObject, context: MethodContext): Promise<string> {
    const id = taskIdOf(params, context);
    const task = await withJsonRpcErrors(this.tasks.find(taskCallerOf(context.key), id));
    if (!task) throw unknownTask();
    return taskResult(task);
  }

  async update(params: JsonObject, context: MethodContext): Promise<string> {
    refuseDryRun(params);
    const id = taskIdOf(params, context);
    const { inputResponses } = params;
    if (!isJsonObject(inputResponses)) {
      throw JsonRpcError.invalidParams('inputResponses must be an object.');
    }
    return await this.acknowledge(
      context,
      this.tasks.answer(taskCallerOf(context.key), id, inputResponses),
    );
  }

  async cancel(params: JsonObject, context: MethodContext): Promise<string> {
    refuseDryRun(params);
    const id = taskIdOf(params, context);
    return await this.acknowledge(context, this.tasks.cancel(taskCallerOf(context.key), id));
  }

  private async acknowledge({ key }: MethodContext, found: Promise<boolean>): Promise<string> {
    const reported = found.catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'forbidden' && key.toolPolicies.restriction) {
        this.security.report('restricted_key', { subject: key.organizationId });
      }
      throw error;
    });
    if (await withJsonRpcErrors(reported)) return ACKNOWLEDGED;
    throw unknownTask();
  }
}

function taskIdOf(params: JsonObject, { era }: MethodContext): string {
  assertTakesTasks(params, era);
  const { taskId } = params;
  if (typeof taskId !== 'string') throw JsonRpcError.invalidParams('taskId must be a string.');
  return taskId;
}

/**
 * Returns the error for an unknown task. It is the same for a task of another organization, so that nobody can find out
 * whether that task exists.
 */
function unknownTask(): JsonRpcError {
  return new JsonRpcError(INVALID_PARAMS, 'No task has this taskId.');
}
