#!/usr/bin/env node
// `npx perpetua` in a clone. It is there before anything is built: npx keeps what it finds the first time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, staleSources } from './sources.mjs';

const ABOUT_ITSELF = ['--help', '-h', '--version', '-V'];
const main = join(root, 'dist', 'cli', 'main.js');
if (existsSync(main) && existsSync(join(root, 'node_modules'))) {
  // Help answers at once: it waits for no walk through the sources.
  if (!process.argv.slice(2).some((word) => ABOUT_ITSELF.includes(word))) warnIfStale();
  await import(pathToFileURL(main).href);
} else {
  console.error(
    'Perpetua is not set up in this clone yet. Run npm start, which does it all; or npm ci && npm run build.',
  );
  process.exitCode = 1;
}

/** After a `git pull`, say, old code would answer without a word. */
function warnIfStale() {
  try {
    const stale = staleSources();
    if (stale.length > 0)
      console.error(
        `! dist/ is older than ${stale.length} of the sources (${stale[0]}${stale.length > 1 ? ', …' : ''}): npm run build, or npm start`,
      );
  } catch {
    // It is only a word of warning.
  }
}
