import { startSwitchboard } from './bootstrap/start-switchboard.js';

await startSwitchboard();
