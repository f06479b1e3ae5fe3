// The built Switchboard, with failpoints that hold whoever reaches one of those named in the first argument, and say
// so to the parent, until the parent says "open".
import { startApplication } from '../../../dist/src/bootstrap/application.js';
import { loadEnv } from '../../../dist/src/config/env.js';
import { Failpoints } from '../../../dist/src/failpoints/failpoints.js';
import { sinkModule } from '../../chaos/sink-tools.mjs';

class HoldingFailpoints extends Failpoints {
  #armed = new Set(JSON.parse(process.argv[2]));
  #held = [];

  async reach(point, subject) {
    if (!this.#armed.has(point)) return;
    const opened = new Promise((open) => this.#held.push(open));
    process.send({ point, subject });
    await opened;
  }

  open() {
    this.#armed.clear();
    for (const open of this.#held.splice(0)) open();
  }
}

const failpoints = new HoldingFailpoints();
const env = loadEnv();
const app = await startApplication({
  env,
  ownerUrl: env.databaseUrl,
  log: () => undefined,
  extensions: { modules: [sinkModule(process.env.SINK_URL)] },
  failpoints,
});
process.on('message', () => failpoints.open());
process.on('disconnect', () => process.exit(1));
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
process.send({ ready: true });
