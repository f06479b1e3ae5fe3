import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SecretMarkers } from './secret-markers.js';
import { SecretTools } from './secret.tools.js';
import { SecretsRepository } from './secrets.repository.js';
import { SecretsService } from './secrets.service.js';

/** Stores the secrets that requests of workflows to other systems need. */
@Module({
  imports: [AccountsModule],
  providers: [SecretMarkers, SecretsRepository, SecretsService, SecretTools],
  exports: [SecretMarkers, SecretsService],
})
export class SecretsModule {}
