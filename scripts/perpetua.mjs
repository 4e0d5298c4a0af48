#!/usr/bin/env node
// Entry of `perpetua`, in a clone and in an installed package. In a clone it exists before any build: npx keeps the
// file that it finds the first time.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const INFORMATION_OPTIONS = ['--help', '-h', '--version', '-V'];
const [major, minor] = process.versions.node.split('.').map(Number);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isClone = existsSync(join(root, 'scripts', 'sources.mjs'));
const main = join(root, 'dist', ...(isClone ? [] : ['package', 'dist']), 'cli', 'main.js');
if (major < 20 || (major === 20 && minor < 3)) {
  console.error(
    `Expected Node 20.3 or newer, this is ${process.versions.node}. Install a newer one: https://nodejs.org`,
  );
  process.exitCode = 1;
} else if (existsSync(main) && (!isClone || existsSync(join(root, 'node_modules')))) {
  // The help appears at once, without a scan of the sources.
  if (isClone && !process.argv.slice(2).some((word) => INFORMATION_OPTIONS.includes(word))) await warnIfStale();
  await import(pathToFileURL(main).href);
} else {
  console.error(
    isClone
      ? 'Perpetua is not built in this clone yet. Run npm start, or npm ci && npm run build.'
      : `Expected the program of Perpetua at ${main}, found none. Install Perpetua again.`,
  );
  process.exitCode = 1;
}

/** Warns if sources are newer than dist/, for example after a `git pull`. */
async function warnIfStale() {
  try {
    const { staleSources } = await import('./sources.mjs');
    const stale = staleSources();
    if (stale.length === 0) return;
    const names = `${stale[0]}${stale.length > 1 ? ', …' : ''}`;
    console.error(`! dist/ is older than ${stale.length} of the sources (${names}): npm run build, or npm start`);
  } catch {
    // A failed check must not stop the command.
  }
}
