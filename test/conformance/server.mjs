// Starts the built Switchboard with the fixtures of the conformance suite, as a team starts its modules.
import { startSwitchboard } from 'switchboard';
import { compileFixtures } from './compile-fixtures.mjs';

const { ConformanceModule } = await import(compileFixtures());
await startSwitchboard({ modules: [ConformanceModule] });
