import { Injectable } from '@nestjs/common';
import { SecretsService } from '../../secrets/secrets.service.js';
import { SegmentsService } from '../../segments/segments.service.js';
import {
  type DeclaredVariables,
  PublishedTemplatesService,
} from '../../templates/published-templates.service.js';
import { templatesNamedIn } from './template-references.js';

/** Finds the segments and templates that definitions name. Every method needs a transaction of the organization. */
@Injectable()
export class DefinitionReferencesService {
  constructor(
    private readonly secrets: SecretsService,
    private readonly segments: SegmentsService,
    private readonly templates: PublishedTemplatesService,
  ) {}

  secretNames(organizationId: string): Promise<string[]> {
    return this.secrets.names(organizationId);
  }

  /** Returns false for an unknown segment. A known segment cannot be deleted before the transaction ends. */
  keepSegment(organizationId: string, id: string): Promise<boolean> {
    return this.segments.keep(organizationId, id);
  }

  /** Returns the variables of each template that the steps use, by the name or id with which the steps refer to it. */
  async templateVariables(organizationId: string, steps: unknown): Promise<DeclaredVariables> {
    const named = templatesNamedIn(steps);
    return await this.templates.declared(organizationId, named);
  }
}
