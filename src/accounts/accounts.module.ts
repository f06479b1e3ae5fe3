import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { MailModule } from '../mail/mail.module.js';
import { AccountBodyMiddleware } from './account-body.js';
import { AccountSettingsController } from './account-settings.controller.js';
import { AccountSettingsService } from './account-settings.service.js';
import { AccountsService } from './accounts.service.js';
import { AuditLog } from './audit-log.js';
import { AuthController } from './auth.controller.js';
import { CallRecorder } from './call-recorder.js';
import { CredentialLimits } from './credential-limits.js';
import { LocalStrategy } from './local.strategy.js';
import { SessionMiddleware, Sessions } from './sessions.js';
import { AddressVerificationService } from './verification/address-verification.service.js';
import { VerificationController } from './verification/verification.controller.js';

/** Provides organizations, the people in them, their sessions, and the audit log. */
@Module({
  imports: [PassportModule.register({ session: true }), MailModule],
  controllers: [AuthController, AccountSettingsController, VerificationController],
  providers: [
    AccountSettingsService,
    AccountsService,
    AddressVerificationService,
    AuditLog,
    CallRecorder,
    CredentialLimits,
    LocalStrategy,
    Sessions,
  ],
  exports: [AccountsService, AuditLog, CallRecorder, CredentialLimits, Sessions],
})
export class AccountsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(AccountBodyMiddleware, SessionMiddleware).forRoutes('api/auth/*path');
  }
}
