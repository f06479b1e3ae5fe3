import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { CompletionsModule } from '../completions/completions.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { PromptsModule } from '../prompts/prompts.module.js';
import { ResourcesModule } from '../resources/resources.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { CallRunner } from './call-runner.js';
import { Dispatcher } from './dispatcher.js';
import { McpController } from './mcp.controller.js';
import { McpService } from './mcp.service.js';
import { SubscriptionHandlers } from './handlers/subscription-handlers.js';
import { TaskHandlers } from './handlers/task-handlers.js';
import { ReadHandlers } from './handlers/read-handlers.js';
import { ToolHandlers } from './handlers/tool-handlers.js';
import { Subscriptions } from './subscriptions/subscriptions.js';
import { ToolLists } from './tool-lists.js';

@Module({
  imports: [
    AccountsModule,
    KeysModule,
    ToolsModule,
    ResourcesModule,
    PromptsModule,
    CompletionsModule,
  ],
  controllers: [McpController],
  providers: [
    McpService,
    Dispatcher,
    ToolHandlers,
    TaskHandlers,
    ToolLists,
    SubscriptionHandlers,
    Subscriptions,
    ReadHandlers,
    CallRunner,
  ],
})
export class McpModule {}
