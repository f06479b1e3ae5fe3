import 'reflect-metadata';

// This is the public API for modules of teams. Everything that is not exported here may change in any release.

export { startSwitchboard } from './start-switchboard.js';
export { checkWorkflows } from './check-workflows.js';
export { makeBackup } from './backup.js';
export { restoreBackup } from './restore.js';
export type { Extensions } from './app.module.js';

export {
  type ContentBlock,
  type Icon,
  Tool,
  ToolContent,
  type ToolOptions,
} from '../tools/contract/tool.decorator.js';
export type { Progress, Surface, ToolCall } from '../tools/contract/tool-call.js';
export {
  type Answers,
  askForm,
  type InputRequest,
  type InputRequests,
} from '../tools/contract/input-request.js';
export { Resource, type ResourceOptions } from '../resources/resource.decorator.js';
export {
  Prompt,
  type PromptMessage,
  type PromptOptions,
  type PromptResult,
} from '../prompts/prompt.decorator.js';
export { CAUTION, dataMessage } from '../prompts/data-message.js';
export {
  Completion,
  type CompletionCall,
  type CompletionOptions,
} from '../completions/completion.decorator.js';
export type { Task, TaskSource, TaskState } from '../tools/contract/task-source.js';
export type { Actor } from '../accounts/account.js';
export { Doc, Nullable } from '../tools/schema/doc.decorator.js';
export { AppError, type AppErrorCode, type Fault } from '../errors/app-error.js';
export { parseTime } from '../text/parse-time.js';

export {
  PageInput,
  pageOf,
  readCursor,
  readTimeCursor,
  timeCursor,
  type TimePosition,
  writeCursor,
} from '../paging/paging.js';

export { prepared } from '../database/driver/statement.js';
export { TenantDatabase } from '../database/transactions/tenant-database.js';
export type { TenantSession } from '../database/transactions/tenant-session.js';
export type { MigrationClass } from '../database/setup/migrate-extensions.js';
export { violatedConstraint } from '../database/database-error.js';
export { newId } from '../text/ids.js';
export { SecretBox } from '../database/secret-box.js';
export { type Change, ChangeFeed, type ChangeOrGap } from '../changes/change-feed.js';

export {
  Channel,
  type ChannelOptions,
  type ProviderField,
  type ProviderKind,
} from '../channels/channel.decorator.js';
export type {
  ChannelContact,
  ChannelContent,
  DeliveryChannel,
  Handover,
  OutgoingMessage,
  ProviderAccount,
} from '../channels/channel-contract.js';
export { ChannelsModule } from '../channels/channels.module.js';
export {
  type ProviderAnswer,
  ProviderRequests,
  type ProviderResponse,
  toFailure,
} from '../channels/provider-requests.js';
export type { ReasonCode } from '../channels/reason-code.js';
export { ContactsModule } from '../contacts/contacts.module.js';
export { ContactsService } from '../contacts/contacts.service.js';
export { MessagesService } from '../messaging/messages.service.js';
export { MessagingModule } from '../messaging/messaging.module.js';
export { PoliciesModule } from '../policies/policies.module.js';
export { ToolPolicySettingsService } from '../policies/tool-policy-settings.service.js';
