import { Module } from '@nestjs/common';
import { LiquidModule } from '../liquid/liquid.module.js';
import { ContentCompilerService } from './content-compiler.service.js';
import { HtmlProcessesService } from './html-processes.service.js';
import { PublishedTemplatesService } from './published-templates.service.js';
import { SnippetTools } from './snippet.tools.js';
import { SnippetsRepository } from './snippets.repository.js';
import { SnippetsService } from './snippets.service.js';
import { TemplateRenderingService } from './template-rendering.service.js';
import { TemplateVersionTools } from './template-version.tools.js';
import { TemplateVersionsRepository } from './template-versions.repository.js';
import { TemplateVersionsService } from './template-versions.service.js';
import { TemplateTools } from './template.tools.js';
import { TemplatesRepository } from './templates.repository.js';
import { TemplatesService } from './templates.service.js';

/** Provides templates of messages: their drafts, published versions and snippets, and renders them. */
@Module({
  imports: [LiquidModule],
  providers: [
    TemplateTools,
    TemplateVersionTools,
    SnippetTools,
    TemplatesService,
    TemplatesRepository,
    TemplateVersionsService,
    TemplateVersionsRepository,
    SnippetsService,
    SnippetsRepository,
    ContentCompilerService,
    HtmlProcessesService,
    PublishedTemplatesService,
    TemplateRenderingService,
  ],
  exports: [PublishedTemplatesService, TemplateRenderingService, TemplateVersionsService],
})
export class TemplatesModule {}
