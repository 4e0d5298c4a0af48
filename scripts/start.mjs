// `npm start`: from a fresh clone to a research that runs. No dependency: it installs them.
import { join } from 'node:path';
import { buildTold, install, requireNode, root } from './lib.mjs';

requireNode();
try {
  await install();
  await buildTold();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
// In this process, not in a child: one process gets the terminal's Ctrl-C, once.
const main = join(root, 'dist', 'cli', 'main.js');
process.argv.splice(1, process.argv.length, main, 'up', ...process.argv.slice(2));
await import(main);
