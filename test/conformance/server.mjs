// The built Switchboard with the fixtures of the conformance suite, started as a team starts its own.
import { startSwitchboard } from 'switchboard';
import { compileFixtures } from './compile-fixtures.mjs';

const { ConformanceModule } = await import(compileFixtures());
await startSwitchboard({ modules: [ConformanceModule] });
