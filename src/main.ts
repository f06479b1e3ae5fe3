import { startOwnProcess } from './bootstrap/start-switchboard.js';

await startOwnProcess();
