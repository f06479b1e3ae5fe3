import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { DigestsRepository } from './digests.repository.js';
import { DigestsService } from './digests.service.js';
import { PaceRepository } from './pace.repository.js';
import { PaceService } from './pace.service.js';
import { SendingRulesRepository } from './sending-rules.repository.js';
import { SendingRulesService } from './sending-rules.service.js';
import { SendingRulesTools } from './sending-rules.tools.js';

/** Decides when messages are sent: quiet hours, caps and digests. */
@Module({
  imports: [AccountsModule, ChannelsModule],
  providers: [
    SendingRulesTools,
    SendingRulesService,
    SendingRulesRepository,
    PaceService,
    PaceRepository,
    DigestsService,
    DigestsRepository,
  ],
  exports: [PaceService, DigestsService],
})
export class PacingModule {}
