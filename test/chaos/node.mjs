// A Switchboard of a team, with the tools whose effects are counted, started as in production.
import { startSwitchboard } from '../../dist/src/bootstrap/platform.js';
import { sinkModule } from './sink-tools.mjs';

await startSwitchboard({ modules: [sinkModule(process.env.SINK_URL)] });
