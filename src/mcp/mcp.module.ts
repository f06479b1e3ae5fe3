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
import { Methods } from './methods.js';
import { SubscriptionMethods } from './methods/subscription-methods.js';
import { TaskMethods } from './methods/task-methods.js';
import { CompletionMethods } from './methods/completion-methods.js';
import { PromptMethods } from './methods/prompt-methods.js';
import { ResourceMethods } from './methods/resource-methods.js';
import { ToolMethods } from './methods/tool-methods.js';
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
