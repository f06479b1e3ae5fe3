// Starts Switchboard as in production, with the tools whose effects the checker counts.
import { startSwitchboard } from '../../dist/src/bootstrap/platform.js';
import { sinkModule } from './sink-tools.mjs';

await startSwitchboard({ modules: [sinkModule(process.env.SINK_URL)] });
