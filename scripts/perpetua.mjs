#!/usr/bin/env node
// Entry of `npx perpetua` in a clone. It exists before any build: npx keeps the file that it finds the first time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, staleSources } from './sources.mjs';

const INFORMATION_OPTIONS = ['--help', '-h', '--version', '-V'];
const main = join(root, 'dist', 'cli', 'main.js');
if (existsSync(main) && existsSync(join(root, 'node_modules'))) {
  // The help appears at once, without a scan of the sources.
  if (!process.argv.slice(2).some((word) => INFORMATION_OPTIONS.includes(word))) warnIfStale();
  await import(pathToFileURL(main).href);
} else {
  console.error('Perpetua is not built in this clone yet. Run npm start, or npm ci && npm run build.');
  process.exitCode = 1;
}

/** Warns if sources are newer than dist/, for example after a `git pull`. */
function warnIfStale() {
  try {
    const stale = staleSources();
    if (stale.length === 0) return;
    const names = `${stale[0]}${stale.length > 1 ? ', …' : ''}`;
    console.error(`! dist/ is older than ${stale.length} of the sources (${names}): npm run build, or npm start`);
  } catch {
    // A failed check must not stop the command.
  }
}
