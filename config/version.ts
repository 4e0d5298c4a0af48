import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Package = z.object({ version: z.string() });

/** This Perpetua's version, as its package says. */
export const versionOf = (packageRoot: string): string =>
  Package.parse(JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))).version;
