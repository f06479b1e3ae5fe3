import { startSwitchboard } from 'switchboard';
import { TeamChannelsModule } from './team-channels.module.js';

await startSwitchboard({ modules: [TeamChannelsModule] });
