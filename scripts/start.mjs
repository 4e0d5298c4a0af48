// `npm start`: from a fresh clone to a research that runs. No dependency: it installs them.
import { buildTold, install, perpetua, requireNode } from './lib.mjs';

requireNode();
try {
  await install();
  await buildTold();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
await perpetua('up', ...process.argv.slice(2));
