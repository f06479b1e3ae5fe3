import { beforeAll } from 'vitest';
import { ProbeTools } from '../workflows/support/probe.tools.js';

// Test files of one worker share modules, and with them the static state of these tools.
beforeAll(() => ProbeTools.reset());
