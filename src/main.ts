import { startSwitchboard } from './start-switchboard.js';

await startSwitchboard();
