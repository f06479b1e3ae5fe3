// Starts the built Switchboard with failpoints. Code that reaches an armed failpoint stops there, and the parent gets a
// message with the failpoint and the subject. The parent sends { arm: [names] } to arm failpoints. It sends 'open' to
// disarm all of them and to let everything that stopped continue.
import { startApplication } from '../../../dist/src/bootstrap/application.js';
import { loadEnv } from '../../../dist/src/config/load-env.js';
import { Failpoints } from '../../../dist/src/failpoints/failpoints.js';
import { sinkModule } from '../../chaos/sink-tools.mjs';

class HoldingFailpoints extends Failpoints {
  #armed = new Set();
  #held = [];

  async reach(point, subject) {
    if (!this.#armed.has(point)) return;
    const opened = new Promise((open) => this.#held.push(open));
    process.send({ point, subject });
    await opened;
  }

  arm(points) {
    this.#armed = new Set(points);
  }

  open() {
    this.#armed.clear();
    for (const open of this.#held.splice(0)) open();
  }
}

const failpoints = new HoldingFailpoints();
failpoints.arm(JSON.parse(process.argv[2]));
const env = loadEnv();
const app = await startApplication({
  env,
  ownerUrl: env.databaseUrl,
  log: () => undefined,
  extensions: { modules: [sinkModule(process.env.SINK_URL)] },
  failpoints,
});
process.on('message', (message) => {
  if (message === 'open') failpoints.open();
  else {
    failpoints.arm(message.arm);
    process.send({ isArmed: true });
  }
});
process.on('disconnect', () => process.exit(1));
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
process.send({ ready: true });
