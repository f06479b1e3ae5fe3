import { Injectable } from '@nestjs/common';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { ToolRegistry } from '../../tools/registry/tool-registry.js';
import { Compatibility } from '../definitions/compatibility/compatibility.js';
import { stepToolsOf } from '../definitions/compatibility/tool-schemas.js';

/** The tools of this process, as what versions depend on. */
@Injectable()
export class ToolCompatibility {
  private known?: Compatibility;

  constructor(
    private readonly registry: ToolRegistry,
    private readonly liquid: LiquidSandbox,
  ) {}

  /** Made when it is first asked for: the registry is filled while the application starts. */
  get current(): Compatibility {
    this.known ??= new Compatibility(stepToolsOf(this.registry.all()), this.liquid);
    return this.known;
  }
}
