import { Module } from '@nestjs/common';
import { CompletionsModule } from '../completions/completions.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { PromptsModule } from '../prompts/prompts.module.js';
import { ResourcesModule } from '../resources/resources.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { Calls } from './calls.js';
import { Dispatcher } from './dispatcher.js';
import { McpController } from './mcp.controller.js';
import { McpService } from './mcp.service.js';
import { Methods } from './handlers/method-table.js';
import { SubscriptionMethods } from './handlers/subscription-handlers.js';
import { TaskMethods } from './handlers/task-handlers.js';
import { CompletionMethods } from './handlers/completion-handlers.js';
import { PromptMethods } from './handlers/prompt-handlers.js';
import { ResourceMethods } from './handlers/resource-handlers.js';
import { ToolMethods } from './handlers/tool-handlers.js';
import { Subscriptions } from './subscriptions/subscriptions.js';
import { ToolLists } from './tool-lists.js';

/** The tool endpoint for agents: JSON-RPC 2.0 and MCP over HTTP. */
@Module({
  imports: [KeysModule, ToolsModule, ResourcesModule, PromptsModule, CompletionsModule],
  controllers: [McpController],
  providers: [
    McpService,
    Dispatcher,
    Methods,
    ToolMethods,
    TaskMethods,
    ToolLists,
    SubscriptionMethods,
    Subscriptions,
    ResourceMethods,
    PromptMethods,
    CompletionMethods,
    Calls,
  ],
})
export class McpModule {}
