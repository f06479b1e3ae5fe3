import { Injectable } from '@nestjs/common';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { ToolRegistry } from '../../tools/registry/tool-registry.js';
import { Compatibility } from '../definitions/compatibility/compatibility.js';
import { stepToolsOf } from '../definitions/compatibility/tool-schemas.js';

@Injectable()
export class ToolCompatibilityService {
  private known?: Compatibility;

  constructor(
    private readonly registry: ToolRegistry,
    private readonly liquid: LiquidSandbox,
  ) {}

  /** Returns the check. It is created at its first use, because the registry is filled while the application starts. */
  get current(): Compatibility {
    this.known ??= new Compatibility(stepToolsOf(this.registry.all()), this.liquid);
    return this.known;
  }
}
