// `npm start`: goes from a fresh clone to a running research. No dependencies: it installs them.
import { buildWithProgress, install, perpetua, requireNode } from './lib.mjs';

requireNode();
try {
  await install();
  await buildWithProgress();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
await perpetua('up', ...process.argv.slice(2));
