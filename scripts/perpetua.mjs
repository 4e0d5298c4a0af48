#!/usr/bin/env node
// `npx perpetua` in a clone. It is there before anything is built: npx keeps what it finds the first time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './lib.mjs';

const main = join(root, 'dist', 'cli', 'main.js');
if (existsSync(main) && existsSync(join(root, 'node_modules'))) await import(pathToFileURL(main).href);
else {
  console.error(
    'Perpetua is not set up in this clone yet. Run npm start, which does it all; or npm ci && npm run build.',
  );
  process.exitCode = 1;
}
